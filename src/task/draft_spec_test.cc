// Tests of the words of drafted tasks.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/load.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

/// The drafted spec.md without its title.
std::string spec_of(std::string_view source) {
  const std::string text = draft(source).files.at("spec.md");
  return text.substr(text.find("\n\n") + 2);
}

TEST(DraftWords, TellTensorsStatementsAndWhatIsAccumulated) {
  EXPECT_EQ(
      spec_of("void mv(int m, int n, const float* a, const float* x, float* y) {\n"
              "  for (int i = 0; i < m; ++i) {\n"
              "    float s = 0;  // the sum of a row\n"
              "    for (int j = 0; j < n; ++j) s += a[i * n + j] * x[j];\n"
              "    y[i] = s;\n  }\n}\n"),
      "The function reads `a` (`[m, n]`), `x` (`[n]`); it writes every element of `y` "
      "(`[m]`).\n\n"
      "Its statements, in order:\n\n"
      "- for each `i` from `0` below `m`:\n"
      "  - `float s = 0`\n"
      "  - for each `j` from `0` below `n`: `s += a[i * n + j] * x[j]`, accumulated over `j`\n"
      "  - `y[i] = s`\n\n"
      "Easy to get wrong: sizes that no vector or tile divides, the last rows and columns.\n\n"
      "**Timed inputs**: along the summed dimensions of `a` and `x`, a few lines are 0 except for "
      "two elements; a kernel that skips one of these gets a visibly wrong sum.\n");
}

TEST(DraftWords, TellConditionsBordersAndOtherLoops) {
  const std::string spec = spec_of(
      "void f(int n, float a, const float* x, float* y) {\n"
      "  for (int i = n - 2; i >= 1; i -= 2)\n"
      "    if (x[i] > a)\n      y[i] = x[i - 1];\n    else y[i] = 0;\n"
      "  int k = 0;\n"
      "  while (k < n) { y[k] += 1; k++; }\n"
      "}\n");
  using testing::HasSubstr;
  EXPECT_THAT(spec, HasSubstr("it reads and writes `y`"));
  EXPECT_THAT(spec, HasSubstr("- for each `i` from `n - 2` down to `1` in steps of `2`:\n"
                              "  - where `x[i] > a`: `y[i] = x[i - 1]`\n"
                              "  - otherwise: `y[i] = 0`\n"));
  EXPECT_THAT(spec, HasSubstr("- while `k < n`:\n  - `y[k] += 1`\n  - `k++`\n"));
  const std::string kept = spec_of(
      "void g(int n, const float* x, float* y) {\n"
      "  for (int i = 1; i < n - 1; ++i) y[i] = x[i - 1] + x[i + 1];\n}\n");
  EXPECT_THAT(kept, HasSubstr("elements that no statement writes keep what they held"));
  EXPECT_THAT(kept, HasSubstr("the neighbours of the first and last elements"));
}

TEST(DraftWords, TellLoopsOnceAndTheValuesOfInputs) {
  using testing::HasSubstr;
  const std::string product = spec_of(
      "void mm(int n, int m, float alpha, const float* a, const float* b, float* c) {\n"
      "  int i, j, k;\n"
      "  for (i = 0; i < n; i++) {\n    for (j = 0; j < n; j++) c[i * n + j] *= alpha;\n"
      "    for (k = 0; k < m; k++)\n"
      "      for (j = 0; j < n; j++) c[i * n + j] += a[i * m + k] * b[k * n + j];\n  }\n}\n");
  EXPECT_THAT(product,
              HasSubstr("in order:\n\n"
                        "- for each `i` from `0` below `n`:\n"
                        "  - for each `j` from `0` below `n`: `c[i * n + j] *= alpha`\n"
                        "  - for each `k` from `0` below `m`, each `j` from `0` below `n`: "
                        "`c[i * n + j] += a[i * m + k] * b[k * n + j]`, accumulated over `k`\n\n"));
  EXPECT_THAT(product,
              HasSubstr("**Timed inputs**: along the summed dimensions of `a` and `b`, a few "
                        "lines are 0 except for two elements"));
  EXPECT_THAT(
      spec_of("void sum(int n, const float* x, float* y) {\n  y[0] = 0;\n"
              "  for (int i = 0; i < n; i++) y[0] += x[i];\n}\n"),
      HasSubstr("**Inputs**: `x` holds whole numbers from -8 to 8, so that sums in any order "
                "are exact."));
}

/// The sentences of a drafted spec.md about the values of inputs; "" where there are none.
std::string inputs_of(std::string_view source) {
  const std::string spec = spec_of(source);
  const std::size_t begin = spec.find("**Inputs**: ");
  return begin == std::string::npos ? "" : spec.substr(begin, spec.find('\n', begin) - begin);
}

// A kernel that relies on more than these promises would be right by chance.
TEST(DraftWords, TellWhatAKernelMayRelyOn) {
  const std::string last = " A kernel may rely on no more than that, and on finite numbers.";
  EXPECT_EQ(inputs_of("void rows(int n, int width, int nonzeros, const int* begin, const int* at,\n"
                      "          const double* a, const double* x, double* y) {\n"
                      "  for (int i = 0; i < n; ++i) {\n    double sum = 0;\n"
                      "    for (int k = begin[i]; k < begin[i + 1]; ++k) sum += a[k] * x[at[k]];\n"
                      "    y[i] = sum;\n  }\n}\n"),
            "**Inputs**: `begin` never decreases, its first element is 0 and its last is "
            "`nonzeros`; rows differ in length, and some are empty; `at` holds indices of `x` from "
            "0 to `width - 1`, in any order, and some more than once." +
                last);
  EXPECT_EQ(inputs_of("void spread(int n, const int* to, const float* x, float* y) {\n"
                      "  for (int i = 0; i < n; ++i) y[to[i]] = x[i];\n}\n"),
            "**Inputs**: `to` holds each index of `y` once, in any order." + last);
  EXPECT_EQ(inputs_of("void sums(int n, int width, const int* used, const float* x, float* y) {\n"
                      "  for (int i = 0; i < n; ++i) {\n    float sum = 0;\n"
                      "    for (int j = 0; j < used[i]; ++j) sum += x[i * width + j];\n"
                      "    y[i] = sum;\n  }\n}\n"),
            "**Inputs**: `used` holds numbers of turns from 0 to `width`." + last);
  const auto elementwise = [](const std::string& type, const std::string& statement) {
    return inputs_of("void f(int n, const " + type + "* x, float* y) {\n" +
                     "  for (int i = 0; i < n; ++i) " + statement + "\n}\n");
  };
  EXPECT_EQ(elementwise("float", "y[i] = 2 * x[i];"), "") << "plain noise";
  EXPECT_EQ(elementwise("float", "y[i] = 1 / x[i];"),
            "**Inputs**: `x` holds numbers from 0.5 to 2." + last);
  EXPECT_EQ(elementwise("int", "y[i] = x[i] ? 1 : 0;"),
            "**Inputs**: `x` is 0, 1 or 2, each about as often." + last);
  EXPECT_EQ(elementwise("int", "y[i] = x[i] + 2;"),
            "**Inputs**: `x` holds whole numbers from -1000 to 1000." + last);
  EXPECT_EQ(elementwise("unsigned char", "y[i] = x[i] + 2;"),
            "**Inputs**: `x` holds any numbers of its type." + last);
}

TEST(DraftWords, TellOfMatricesAndSortedNumbersWhatTheyAre) {
  using testing::HasSubstr;
  EXPECT_THAT(inputs_of("#include <math.h>\n"
                        "void factor(int n, double a[n][n]) {\n"
                        "  for (int j = 0; j < n; ++j) {\n"
                        "    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];\n"
                        "    a[j][j] = sqrt(a[j][j]);\n"
                        "    for (int i = j + 1; i < n; ++i) a[i][j] /= a[j][j];\n  }\n}\n"),
              HasSubstr("`a` is symmetric and positive definite, so that no pivots are needed"));
  EXPECT_THAT(inputs_of("void solve(int n, const double* l, double* x) {\n"
                        "  for (int i = 0; i < n; ++i) {\n"
                        "    for (int j = 0; j < i; ++j) x[i] -= l[i * n + j] * x[j];\n"
                        "    x[i] = x[i] / l[i * n + i];\n  }\n}\n"),
              HasSubstr("`l` has a diagonal that is larger than the rest of its row"));
  EXPECT_THAT(inputs_of("void place(int n, int m, const int* known, const int* wanted, int* at) {\n"
                        "  for (int i = 0; i < m; ++i) {\n    int low = 0, high = n - 1;\n"
                        "    while (low < high) {\n      const int middle = (low + high) / 2;\n"
                        "      if (known[middle] < wanted[i]) low = middle + 1;\n"
                        "      else high = middle;\n    }\n    at[i] = low;\n  }\n}\n"),
              testing::AllOf(HasSubstr("`known` never decreases along its last dimension"),
                             HasSubstr("`wanted` holds whole numbers from -100 to 100")));
}

TEST(DraftWords, NameWhatOnlyTheReferenceShows) {
  using testing::HasSubstr;
  const std::string spec = spec_of(
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    if (x[i] < 0) break;\n    y[i] = x[i];\n  }\n}\n");
  EXPECT_THAT(spec, HasSubstr("The reference alone shows where it takes another way (`break`)."));
}

TEST(DraftWords, BeginWithTheCommentAboveTheFunction) {
  const auto summary_of = [](std::string_view source) {
    const auto definition = parse_task({"draft", draft(source).files});
    return definition ? definition->task.summary : place_and_about(definition.error());
  };
  const std::string body =
      "void relu(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;\n}\n";
  const std::string block =
      "/*\n * Rectifies x: \"negative\" numbers become 0.\n * # The others stay.\n */\n" + body;
  EXPECT_TRUE(
      spec_of(block).starts_with("Rectifies x: \"negative\" numbers become 0.\n"
                                 "The others stay.\n\nThe function reads"))
      << spec_of(block);
  EXPECT_EQ(summary_of(block), "Rectifies x: \"negative\" numbers become 0");
  EXPECT_TRUE(spec_of("// Rectifies x.\n" + body).starts_with("Rectifies x.\n\nThe function"));
  for (const std::string& above :
       {std::string("// SPDX-License-Identifier: MIT\n"), std::string("// of the file\n\n"),
        std::string("int k;  // of k\n#define W 3\n"), std::string()}) {
    EXPECT_TRUE(spec_of(above + body).starts_with("The function reads")) << above;
    EXPECT_EQ(summary_of(above + body), "y[i] = x[i] > 0 ? x[i] : 0") << above;
  }
}

// A reader without the code sees what is computed, unless a condition decides over it.
TEST(DraftWords, ShortStatementsAreTheSummary) {
  const auto summary_of = [](std::string_view source) {
    const auto definition = parse_task({"draft", draft(source).files});
    return definition ? definition->task.summary : place_and_about(definition.error());
  };
  EXPECT_EQ(summary_of("void axpby(int n, float a, float b, const float* x, float* y) {\n"
                       "  for (int i = 0; i < n; ++i) {\n    y[i] *= b;\n"
                       "    y[i] += a * x[i];\n  }\n}\n"),
            "y[i] *= b; y[i] += a * x[i]");
  EXPECT_EQ(summary_of("void f(int n, float a, const float* x, float* y) {\n"
                       "  for (int i = 0; i < n; ++i)\n"
                       "    if (x[i] > a) y[i] = x[i];\n    else y[i] = 0;\n}\n"),
            "where x[i] > a: y[i] = x[i]; otherwise: y[i] = 0");
}

// Of a body of many statements those are the summary that assign the outputs.
TEST(DraftWords, WhatOutputsAreAssignedIsTheSummaryOfALongBody) {
  const auto summary_of = [](std::string_view source) {
    const auto definition = parse_task({"draft", draft(source).files});
    return definition ? definition->task.summary : place_and_about(definition.error());
  };
  const std::string product =
      "void gemm(int m, int n, int k, float alpha, const float* a, const float* b, float beta,\n"
      "          float* c) {\n"
      "  for (int i = 0; i < m; ++i)\n    for (int j = 0; j < n; ++j) {\n"
      "      float sum = 0.0f;\n"
      "      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];\n"
      "      c[i * n + j] = alpha * sum + beta * c[i * n + j];\n    }\n}\n";
  EXPECT_EQ(
      summary_of(product),
      "c[i * n + j] = alpha * sum + beta * c[i * n + j] with sum += a[i * k + p] * b[p * n + j], "
      "accumulated over p");
  EXPECT_THAT(spec_of(product), testing::HasSubstr("`c` (`[m, n]`). All inputs are finite, so that "
                                                   "what is multiplied by a scalar of 0 need not"));
  EXPECT_EQ(summary_of("void f(int n, const float* x, float* y) {\n"
                       "  for (int i = 0; i < n; ++i) {\n    if (x[i] < 0) break;\n"
                       "    y[i] = x[i];\n  }\n}\n"),
            "computes y from x");
}

// The truth is computed with doubles, where the number of a float literal is not rounded.
TEST(DraftWords, NumbersHaveNoSuffixOfAFloat) {
  EXPECT_THAT(spec_of("void f(int n, const float* x, float* y) {\n"
                      "  for (int i = 0; i < n; ++i) y[i] = 0.2f*x[i] + 1e-3f;\n}\n"),
              testing::AllOf(testing::HasSubstr("`y[i] = 0.2*x[i] + 1e-3`"),
                             testing::HasSubstr("Numbers stand as the truth has them, in double"),
                             testing::HasSubstr("`0.2f` for `0.2`")));
  EXPECT_THAT(spec_of("void f(int n, const float* x, float* y) {\n"
                      "  for (int i = 0; i < n; ++i) y[i] = 0.5f * x[i];\n}\n"),
              testing::Not(testing::HasSubstr("in double")));
}

}  // namespace
}  // namespace kw::task
