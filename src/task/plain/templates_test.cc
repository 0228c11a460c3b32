// Tests of templates that become functions.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

constexpr std::string_view kAxpy =
    "template <typename T>\nvoid axpy(int n, const T a, const T* x, T* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = a * x[i] + T(1);\n}\n";

std::string axpy_of(std::string_view type) {
  return "void axpy(int n, const " + std::string(type) + " a, const " + std::string(type) +
         "* x, " + std::string(type) + "* y) { for (int i = 0; i < n; ++i) y[i] = a * x[i] + " +
         std::string(type) + "(1); }";
}

TEST(PlainTemplates, AreTakenForFloatUnlessTheFileSaysMore) {
  EXPECT_EQ(plain_function(kAxpy), axpy_of("float"));
  const std::string axpy(kAxpy);
  EXPECT_TRUE(
      plain_text(axpy + "template void axpy<double>(int, double, const double*, double*);\n")
          .starts_with(axpy_of("double")));
  EXPECT_TRUE(plain_text(axpy + "template void axpy(int, double a, const double*, double*);\n")
                  .starts_with(axpy_of("double")));
  EXPECT_EQ(plain_function(axpy + "int main() { axpy<double>(0, 1, 0, 0); }\n", "axpy"),
            axpy_of("double"));
  EXPECT_EQ(plain_function(axpy + "int main() { axpy<const unsigned char>(0, 1, 0, 0); }", "axpy"),
            axpy_of("uint8_t"));
  EXPECT_EQ(plain_function("template <class T = double> void f(int n, T* x) {\n"
                           "  for (int i = 0; i < n; ++i) x[i] = 1; }"),
            "void f(int n, double* x) { for (int i = 0; i < n; ++i) x[i] = 1; }");
  EXPECT_EQ(draft(kAxpy).notes.size(), 2u) << "of the type, and of the words";
}

TEST(PlainTemplates, NumbersBecomeArgumentsOrTheirValues) {
  const std::string scale =
      "template <class T, int N> void scale(const T (&x)[N], T (&y)[N]) {\n"
      "  for (int i = 0; i < N; ++i) y[i] = 2 * x[i];\n}\n";
  EXPECT_EQ(plain_function(scale),
            "void scale(int N, const float x[N], float y[N]) {"
            " for (int i = 0; i < N; ++i) y[i] = 2 * x[i]; }");
  EXPECT_TRUE(plain_text(scale + "template void scale<float, 64>(const float (&)[64], float "
                                 "(&)[64]);")
                  .starts_with("void scale(const float x[64], float y[64]) {"));
  const std::string tile =
      "template <class T, int B> void f(int n, const T* x, T* y) {\n  T t[B];\n"
      "  for (int i = 0; i < n; ++i) { t[0] = x[i]; y[i] = t[0] * B; }\n}\n";
  EXPECT_EQ(plain_text(tile), "f.c:2:7 B");
  EXPECT_EQ(
      plain_function(tile + "constexpr int kB = 4;\n"
                            "void g(float* x) { f<float, kB>(3, x, x); }\n",
                     "f"),
      "void f(int n, const float* x, float* y) { float t[4];"
      " for (int i = 0; i < n; ++i) { t[0] = x[i]; y[i] = t[0] * 4; } } constexpr int kB = 4;");
}

TEST(PlainTemplates, HelpersAreTakenForTheSameType) {
  EXPECT_EQ(plain_text("template <typename U> static U sq(U v) { return v * v; }\n"
                       "template <typename T> void f(int n, const T* x, T* y) {\n"
                       "  for (int i = 0; i < n; ++i) y[i] = sq<T>(x[i]) + sq(y[i]);\n}\n"
                       "template void f<double>(int, const double*, double*);\n",
                       "f"),
            "static double sq(double v) { return v * v; } "
            "void f(int n, const double* x, double* y) { "
            "for (int i = 0; i < n; ++i) y[i] = sq(x[i]) + sq(y[i]); } "
            "template void f<double>(int, const double*, double*);");
  const std::string larger = "template <class T> T larger(T a, T b) { return a > b ? a : b; }\n";
  EXPECT_EQ(plain_text(larger + "void f(int n, const float* x, float* y) {\n"
                                "  for (int i = 0; i < n; ++i) y[i] = larger(x[i], 0.5f);\n}\n",
                       "f"),
            "float larger(float a, float b) { return a > b ? a : b; } "
            "void f(int n, const float* x, float* y) { "
            "for (int i = 0; i < n; ++i) y[i] = larger(x[i], 0.5f); }");
  EXPECT_EQ(plain_text(larger + "void f(int n, int m, float* y) {\n"
                                "  for (int i = 0; i < larger(n, m); ++i) y[i] = 1;\n}\n",
                       "f"),
            "f.c:3:30 larger")
      << "of integers";
  EXPECT_EQ(plain_text(larger + "void f(int n, const float* x, double* y) {\n"
                                "  for (int i = 0; i < n; ++i) y[i] = larger(x[i], x[0]);\n}\n",
                       "f"),
            "f.c:1:1 larger")
      << "of two types";
}

TEST(PlainTemplates, RefusesWhatIsNoPlainTemplate) {
  EXPECT_EQ(plain_text("void K::run(int n, float* y) { y[0] = n; }"), "f.c:1:1 member function");
  EXPECT_EQ(plain_text("operator double(int n, float* y) { y[0] = n; }"), "f.c:1:1 operator");
  EXPECT_EQ(plain_text("template <class... T> void f(T*... x) { }"), "f.c:1:1 template");
  EXPECT_EQ(plain_text("template <template <class> class V> void f(V<int> x) { }"),
            "f.c:1:1 template");
  EXPECT_EQ(plain_text("template <class T> void f(int n, T* x) { typename T::value v; x[0] = v; }"),
            "f.c:1:51 T");
  EXPECT_EQ(plain_text("#define ONE T(1)\ntemplate <class T> void f(int n, T* x) { x[0] = ONE; }"),
            "f.c:2:1 ONE");
  EXPECT_EQ(plain_text("template <class T> void f(int n, T* x) { x[0] = 1; }\n"
                       "template <> void f<float>(int n, float* x) { x[0] = 2; }\n"),
            "f.c:2:18 f");
  EXPECT_EQ(plain_text("template <int N> void f(int n, float* x) { x[0] = N; f<N - 1>(n, x); }"),
            "f.c:1:23 f");
  EXPECT_THAT(plain_source("void K::run(int n, float* y) { y[0] = n; }", "f.c", ""),
              IsErrorAbout(ErrorCode::Unsupported, "member function"));
}

}  // namespace
}  // namespace kw::task
