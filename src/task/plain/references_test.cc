// Tests of references and default arguments.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

TEST(PlainReferences, NumbersAreValuesOrPointers) {
  const std::string source =
      "void stats(int n, const double* x, const double& shift, double const &scale, double& sum) "
      "{\n"
      "  sum = 0;  // sum of x\n"
      "  for (int i = 0; i < n; ++i) sum += scale * (x[i] - shift);\n}\n";
  EXPECT_EQ(plain_text(source),
            "void stats(int n, const double* x, const double shift, double const scale, "
            "double* sum) { sum[0] = 0; // sum of x "
            "for (int i = 0; i < n; ++i) sum[0] += scale * (x[i] - shift); }");
  EXPECT_EQ(tensors_of(draft(source)), "x in [n]; sum out [1]");
  EXPECT_EQ(plain_function("static void put(float* p) { *p = 1; }\n"
                           "void f(int n, float& a, unsigned& count) {\n"
                           "  put(&a); count = n & count; ++count; a = a * a;\n}\n",
                           "f"),
            "void f(int n, float* a, unsigned* count) { "
            "put(a); count[0] = n & count[0]; ++count[0]; a[0] = a[0] * a[0]; }");
}

TEST(PlainReferences, InnerNamesMembersAndTextsStay) {
  EXPECT_EQ(plain_function("void f(int n, const double* x, double& sum) {\n"
                           "  for (int i = 0; i < n; ++i) { double sum = x[i]; sum += 1; }\n"
                           "  for (int i = 0, sum = 3; i < n; ++i) sum++;\n"
                           "  const char* sums = \"sum\"; p.sum = q->sum; /* sum */\n"
                           "  double a = n, *b, c = n * sum;\n"
                           "  if (n) { int j = 1, sum[2] = {1, j}; sum[0] = j; }\n"
                           "  double t[2] = {double(n), sum}; sum = a + t[0];\n}\n"),
            "void f(int n, const double* x, double* sum) { "
            "for (int i = 0; i < n; ++i) { double sum = x[i]; sum += 1; } "
            "for (int i = 0, sum = 3; i < n; ++i) sum++; "
            "const char* sums = \"sum\"; p.sum = q->sum; /* sum */ "
            "double a = n, *b, c = n * sum[0]; "
            "if (n) { int j = 1, sum[2] = {1, j}; sum[0] = j; } "
            "double t[2] = {double(n), sum[0]}; sum[0] = a + t[0]; }");
}

TEST(PlainReferences, ArraysAreArrays) {
  EXPECT_EQ(plain_function("void f(int n, const double (&a)[4][8], double (&b)[4][8]) {\n"
                           "  for (int i = 0; i < 4; ++i)\n"
                           "    for (int j = 0; j < 8; ++j) b[i][j] = n * a[i][j];\n}\n"),
            "void f(int n, const double a[4][8], double b[4][8]) { for (int i = 0; i < 4; ++i) "
            "for (int j = 0; j < 8; ++j) b[i][j] = n * a[i][j]; }");
}

TEST(PlainReferences, RefusesWhatWouldHideAChange) {
  const auto about = [](const std::string& body, const std::string& front = "") {
    return plain_text(front + "void f(int n, const float* x, float& s) { s = 0; " + body + " }",
                      "f");
  };
  EXPECT_EQ(about("add(s, x[0]);", "static void add(float& s, float v) { s += v; }\n"),
            "f.c:2:54 s");
  EXPECT_EQ(about("std::swap(s, n);"), "f.c:1:60 s");
  EXPECT_EQ(about("float& t = s; t = 1;"), "f.c:1:61 s");
  EXPECT_EQ(about("ADD(1);", "#define ADD(v) s += (v)\n"), "f.c:2:38 ADD");
  EXPECT_EQ(about("\n#pragma omp parallel for reduction(+:s)\nfor (;;) s += 1;"),
            "f.c:1:38 #pragma");
  EXPECT_EQ(about("auto g = [=] { return s; }; s = g();"), "f.c:1:59 lambda");
  EXPECT_EQ(about("auto [s, t] = pair(x);"), "f.c:1:56 s");
  EXPECT_EQ(plain_text("void f(int n, float&& s) { s = n; }"), "f.c:1:20 s");
  EXPECT_EQ(plain_text("void f(int n, float*& p) { p[0] = n; }"), "f.c:1:21 p");
  EXPECT_EQ(plain_text("void f(int n, float (&a)[4]) { for (float& v : a) v = n; }"), "f.c:1:48 a");
  EXPECT_EQ(plain_text("void f(int n, float (&a)[4]) { a[0] = n / sizeof(a); }"), "f.c:1:50 a");
  EXPECT_EQ(error_of("void f(int n, struct s& x) { x = 1; }"), "f.c:1:23 &") << "no number";
}

TEST(PlainReferences, PlainFunctionsStayAsTheyAre) {
  const std::string source =
      "void f(const std::size_t n, unsigned k, const std::int32_t* x, signed char* y) { "
      "for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + k; }";
  EXPECT_EQ(plain_text(source), source);
  EXPECT_TRUE(plain_source(source, "f.c", "")->notes.empty());
  EXPECT_EQ(plain_source("int f(", "f.c", "")->source, "int f(") << "no function";
}

TEST(PlainDefaults, AreLeftOut) {
  EXPECT_EQ(plain_function("void f(int n = 10, float a = power(2, 3), float* x = nullptr) {\n"
                           "  for (int i = 0; i < n; ++i) x[i] = a;\n}\n"),
            "void f(int n , float a , float* x ) { for (int i = 0; i < n; ++i) x[i] = a; }");
  EXPECT_EQ(draft("void f(int n = 10, float* x = 0) { for (int i = 0; i < n; ++i) x[i] = 1; }")
                .notes.size(),
            3u)
      << "one of each argument, and one of the words";
}

}  // namespace
}  // namespace kw::task
