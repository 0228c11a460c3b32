// Tests of pointers to pointers as parameters.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "task/plain/plain.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

std::string rows_text(std::string_view source) {
  const auto plain = plain_source(source, "f.c", "");
  return plain ? plain->source : place_and_about(plain.error());
}

TEST(PlainRows, HaveTheLengthThatIndicesReach) {
  const char* const product =
      "void mm(int n, int m, int k, const double **a, double* const* b, double** c) {\n"
      "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j) {\n      c[i][j] = 0;\n"
      "      for (int p = 0; p < k; ++p) c[i][j] += a[i][p] * b[p][j];\n    }\n}\n";
  EXPECT_TRUE(rows_text(product).starts_with(
      "void mm(int n, int m, int k, const double a[][k], double b[][m], double c[][m]) {\n"))
      << rows_text(product);
  EXPECT_EQ(tensors_of(draft(product)), "a in [n, k]; b in [k, m]; c out [n, m]");
  EXPECT_EQ(tensors_of(draft("void f(int n, float *p[], float* y) {\n"
                             "  for (int i = 0; i < n; ++i) y[i] = p[i][0] + p[i][2];\n}\n")),
            "p in [n, 3]; y out [n]");
  EXPECT_EQ(tensors_of(draft("void f(int n, int m, int k, float*** a, float* y) {\n"
                             "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j)\n"
                             "      for (int l = 0; l < k; ++l) y[i] += a[i][j][l];\n}\n")),
            "a in [n, m, k]; y inout [n]");
}

TEST(PlainRows, GetALengthOfTheirOwnWhereNothingTellsIt) {
  EXPECT_TRUE(rows_text("void f(int n, float** a, float* y) {\n"
                        "  for (int i = 0; i < n; ++i) y[i] = a[i][i * i % 7];\n}\n")
                  .starts_with("void f(int n, float a[][a_cols], int a_cols, float* y) {"));
}

TEST(PlainRows, PointersToRowsAreTheRows) {
  const char* const source =
      "void f(int n, int m, float** a, float **b) {\n"
      "  for (int i = 1; i < n - 1; ++i) {\n"
      "    float* restrict row = a[i];\n    const float *up = b[i - 1];\n"
      "    for (int j = 0; j < m; ++j) row[j] = 0.5f * (up[j] + b[i + 1][j]);\n  }\n}\n";
  EXPECT_THAT(rows_text(source),
              testing::HasSubstr("a[i][j] = 0.5f * (b[i - 1][j] + b[i + 1][j]);"));
  EXPECT_EQ(tensors_of(draft(source)), "a inout [n, m]; b in [n, m]");
  EXPECT_EQ(rows_text("void f(int n, float** a, float** b) {\n"
                      "  float *p = a[n], *q = b[0];\n  p[1] = q[2];\n}\n"),
            "void f(int n, float a[][2], float b[][3]) {\n  \n  a[n][1] = b[0][2];\n}\n");
  EXPECT_EQ(rows_text("void f(int n, float** a) {\n  int i = 0;\n  float* row = a[i];\n"
                      "  while (i < n) { row[0] = 1; ++i; row = a[i]; }\n}\n"),
            "f.c:3:16 row: pointer to a row");
  EXPECT_EQ(rows_text("void f(int n, float** a) {\n  auto v = a[0][0];\n  a[n][1] = v;\n}\n"),
            "void f(int n, float a[][2]) {\n  auto v = a[0][0];\n  a[n][1] = v;\n}\n")
      << "an element is no row";
}

TEST(PlainRows, AreRefusedWhereTheyArePassedOnOrOfUnclearLength) {
  const auto error = [](std::string_view source) { return plain_source(source, "f.c", ""); };
  EXPECT_THAT(error("void f(int n, float** a) { a[0][0] = dot(a[1], n); }"),
              IsErrorAbout(ErrorCode::Unsupported, "a as a whole"));
  EXPECT_THAT(error("void f(float** a, float** b) { float** c = a; a = b; b = c; }"),
              IsErrorAbout(ErrorCode::Unsupported, "a as a whole"));
  EXPECT_THAT(error("void f(int n, int m, float** a) {\n"
                    "  for (int i = 0; i < n; ++i) a[0][i] = 1;\n"
                    "  for (int i = 0; i < m; ++i) a[1][i] = 1;\n}\n"),
              IsErrorAbout(ErrorCode::Unsupported, "a: length of rows"));
  EXPECT_THAT(error("#define A a[0][0]\nvoid f(float** a) { A = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "macro A"));
}

}  // namespace
}  // namespace kw::task
