// Tests of variables and constants of the file.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

TEST(PlainGlobals, ArraysAndTheirSizesBecomeParameters) {
  const std::string source =
      "#define N 100\n#define TSTEPS 10\n#define ALPHA 1.5\n"
      "static double A[N][N];\nstatic double B[N][N], x[N];\n"
      "static void init(void) { for (int i = 0; i < N; ++i) x[i] = i; }\n"
      "void kernel(void) {\n  for (int t = 0; t < TSTEPS; ++t)\n"
      "    for (int i = 0; i < N; ++i)\n"
      "      for (int j = 0; j < N; ++j) B[i][j] += ALPHA * A[i][j] * x[j];\n}\n"
      "int main() { init(); kernel(); }\n";
  EXPECT_EQ(plain_function(source, "kernel"),
            "void kernel(int N, int TSTEPS, const double A[N][N], double B[N][N], "
            "const double x[N]) { for (int t = 0; t < TSTEPS; ++t) for (int i = 0; i < N; ++i) "
            "for (int j = 0; j < N; ++j) B[i][j] += ALPHA * A[i][j] * x[j]; }");
  EXPECT_EQ(tensors_of(draft(source, "kernel")), "A in [N, N]; B inout [N, N]; x in [N]");
  EXPECT_EQ(draft(source, "kernel").files.at("reference.cpp").find("#define N"), std::string::npos);
}

TEST(PlainGlobals, SizesAreFoundInConstantsOfEveryForm) {
  EXPECT_EQ(plain_function(
                "enum { ROWS = 64, COLS };\n#define PAD (COLS + 2)\n"
                "double in[ROWS][PAD], out[ROWS][COLS];\n"
                "void f() {\n  for (int i = 0; i < ROWS; i++)\n"
                "    for (int j = 0; j < PAD - 2; j++) out[i][j] = in[i][j] + in[i][j + 1];\n}"),
            "void f(int ROWS, int COLS, const double in[ROWS][COLS + 2], double out[ROWS][COLS]) { "
            "for (int i = 0; i < ROWS; i++) "
            "for (int j = 0; j < (COLS+2) - 2; j++) out[i][j] = in[i][j] + in[i][j + 1]; }");
  EXPECT_EQ(plain_function("constexpr std::size_t N = 1 << 10, M = 2 * N;\nfloat x[M];\n"
                           "void f(float a) { for (std::size_t i = 0; i < M; ++i) x[i] = a; }"),
            "void f(std::size_t N, float a, float x[2 * N]) { const std::size_t M = 2 * N; "
            "for (std::size_t i = 0; i < M; ++i) x[i] = a; }");
  EXPECT_EQ(plain_function("const int N = 8;\n"
                           "void f(const float x[N], float y[N]) {\n"
                           "  for (int i = 0; i < N; ++i) y[i] = x[i];\n}\n"),
            "void f(int N, const float x[N], float y[N]) { "
            "for (int i = 0; i < N; ++i) y[i] = x[i]; }");
}

TEST(PlainGlobals, WhatMustBeConstantStays) {
  EXPECT_EQ(plain_text("#define N 64\ndouble x[N];\n"
                       "void f(int n) { double t[N]; t[0] = n; for (int i = 0; i < N; ++i) x[i] = "
                       "t[0]; }"),
            "#define N 64 double x[N]; void f(int n, double x[N]) { double t[N]; t[0] = n; "
            "for (int i = 0; i < N; ++i) x[i] = t[0]; }");
  EXPECT_EQ(plain_function("#define N 64\n#if N > 32\n#define LARGE 1\n#endif\ndouble x[N];\n"
                           "void f(int n) { for (int i = 0; i < N; ++i) x[i] = n; }"),
            "void f(int n, double x[N]) { for (int i = 0; i < N; ++i) x[i] = n; }");
  EXPECT_EQ(plain_function("#define N 64\n#define TILE 8\ndouble x[N];\n"
                           "void f() { for (int i = 0; i < N; i += TILE)\n"
                           "  for (int k = i; k < i + TILE && k < N; ++k) x[k] = 1; }"),
            "void f(int N, double x[N]) { for (int i = 0; i < N; i += TILE) "
            "for (int k = i; k < i + TILE && k < N; ++k) x[k] = 1; }");
  EXPECT_EQ(plain_function("#define N 64\nstatic int last(void) { return N - 1; }\ndouble x[N];\n"
                           "void f(int n) { for (int i = 0; i < N; ++i) x[i] = last() + n; }",
                           "f"),
            "void f(int n, double x[N]) { for (int i = 0; i < N; ++i) x[i] = last() + n; }");
}

TEST(PlainGlobals, TablesAndConstantsMoveIntoTheFunctions) {
  const std::string source =
      "constexpr int kTaps = 3;\nstatic const float w[kTaps] = {0.25f, 0.5f, 0.25f};\n"
      "const float kScale = 2.0f, kUnused = 1;\n"
      "static float twice(float v) { return kScale * v; }\n"
      "void blur(int n, const float* x, float* y) {\n  for (int i = 0; i < n; ++i) {\n"
      "    float s = 0;\n    for (int k = 0; k < kTaps; ++k) s += w[k] * x[i + k];\n"
      "    y[i] = twice(s);\n  }\n}\n";
  const std::string text = plain_text(source, "blur");
  EXPECT_NE(text.find("twice(float v) { const float kScale = 2.0f; return kScale * v; }"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("float* y) { const int kTaps = 3; const float w[kTaps] = {0.25f, 0.5f, "
                      "0.25f}; const float kScale = 2.0f; for"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("const float kUnused"), std::string::npos);
  EXPECT_EQ(tensors_of(draft(source, "blur")), "x in [n + 2]; y out [n]");
}

TEST(PlainGlobals, NumbersBecomeParameters) {
  EXPECT_EQ(plain_function("float alpha, total; static int n; static float dt = 0.5f;\n"
                           "static int calls = 0; float *u; static const float* v;\n"
                           "void set(int c) { calls = c; }\n"
                           "void f(void) {\n  total = 0;\n  for (int i = 0; i < n; ++i) {\n"
                           "    u[i] += dt * v[i] + calls; total += alpha * u[i];\n  }\n}\n",
                           "f"),
            "void f(int n, int calls, float* u, const float* v, float alpha, float* total) { "
            "const float dt = 0.5f; total[0] = 0; for (int i = 0; i < n; ++i) { "
            "u[i] += dt * v[i] + calls; total[0] += alpha * u[i]; } }");
}

TEST(PlainGlobals, ValuesThatTheFileMayChangeAreNoConstants) {
  const std::string tail = "void f(double* y) { for (int i = 0; i < 9; ++i) y[i] = a; }";
  const std::string constant =
      "void f(double* y) { const double a = 2; for (int i = 0; i < 9; ++i) y[i] = a; }";
  const std::string parameter =
      "void f(double* y, double a) { for (int i = 0; i < 9; ++i) y[i] = a; }";
  EXPECT_EQ(plain_function("double a = 2;\n" + tail, "f"), constant);
  EXPECT_EQ(plain_function("double a = 2;\nvoid g(double a) { a = 3; }\n" + tail, "f"), constant);
  for (const char* change : {"a = 3;", "++a;", "a *= 2;", "read(&a);", "std::swap(a, b);"})
    EXPECT_EQ(
        plain_function("double a = 2;\nvoid g() { " + std::string(change) + " }\n" + tail, "f"),
        parameter)
        << change;
}

TEST(PlainGlobals, InnerNamesStay) {
  EXPECT_EQ(plain_function("double x[8], y; struct s { double y; };\n"
                           "void f(int n, double* z, double y) {\n  // x and y\n"
                           "  for (int i = 0; i < n; ++i) { double x = y; z[i] = x; }\n"
                           "  { int x[2]; x[0] = n; }\n  z[0] = p->x + q.y;\n}\n"),
            "void f(int n, double* z, double y) { // x and y "
            "for (int i = 0; i < n; ++i) { double x = y; z[i] = x; } "
            "{ int x[2]; x[0] = n; } z[0] = p->x + q.y; }");
}

TEST(PlainGlobals, RefusesWhatIsHiddenOrNoNumber) {
  EXPECT_EQ(plain_text("double A[9];\nstatic double at(int i) { return A[i]; }\n"
                       "void f(int n, double* y) { y[0] = at(n); }",
                       "f"),
            "f.c:1:8 A");
  EXPECT_EQ(plain_text("#define AT A[3]\ndouble A[9];\n"
                       "void f(int n, double* y) { y[0] = AT; }"),
            "f.c:2:8 AT");
  EXPECT_EQ(plain_text("std::vector<double> A(9);\nvoid f(int n, double* y) { y[0] = A[n]; }"),
            "f.c:1:21 A");
  EXPECT_EQ(plain_text("struct s A;\ndouble b;\nvoid f(int n, double* y) { y[0] = b; }"),
            "struct s A; double b; void f(int n, double* y, double b) { y[0] = b; }");
  EXPECT_EQ(plain_text("double **A;\nvoid f(int n, double* y) { y[0] = A[n][n]; }"), "f.c:1:10 A");
  EXPECT_EQ(plain_text("double *A;\nvoid f(int n) { A = A + n; A[0] = 1; }"), "f.c:2:17 A");
  EXPECT_EQ(plain_text("double A[3];\nvoid f(int n, double* y) { auto [A, b] = g(); y[n] = A; }"),
            "f.c:2:34 A");
  EXPECT_EQ(plain_text("double A[3];\nvoid f(int n, double* y) { y[n] = ::A[0]; }"), "f.c:2:37 A");
  EXPECT_THAT(plain_source("double **A;\nvoid f(int n, double* y) { y[0] = A[n][n]; }", "f.c", ""),
              IsErrorAbout(ErrorCode::Unsupported, "A"));
}

TEST(PlainGlobals, AConstantThatEndsALoopOverATableStays) {
  const std::string text = plain_text(
      "#define N 1000\n#define TAPS 3\nstatic const float w[3] = {1, 2, 1};\n"
      "float x[N + TAPS], y[N];\nvoid f(void) {\n  for (int i = 0; i < N; ++i) { y[i] = 0;\n"
      "    for (int k = 0; k < TAPS; ++k) y[i] += w[k] * x[i + k]; }\n}\n");
  EXPECT_TRUE(text.contains("#define TAPS 3")) << text;
  EXPECT_TRUE(text.contains("void f(int N, ")) << text;
}

RC_GTEST_PROP(PlainProperty, SurvivesAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "void", "f", "(", ")", "{", "}", "int", "N", "const", "double", "*", "&", "A", "[", "]", "=",
      "0", ";", "for", "<", ">", ">>", "template", "class", "T", ",", "return", "if", "else",
      "::", "enum", "static", "auto", "\n#define N 3\n", "\n#define A N\n", "\n#if N\n", "..."));
  std::string source;
  for (const auto& word : words) source += word + " ";
  (void)plain_source(source, "f.c", "");
  (void)plain_source(source + "double A[N]; template <class T, int N> int f(T& x, int n = 3) {" +
                         source + "return A[N]; }",
                     "f.c", "f");
}

}  // namespace
}  // namespace kw::task
