// Tests of the GPU kernel that a drafted task has to beat.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/test_draft.h"

namespace kw::task {
namespace {

std::string kernel_of(std::string_view source) {
  const auto drafted = draft(source);
  const auto found = drafted.files.find("baselines/naive.cu");
  return found == drafted.files.end() ? "none" : found->second;
}

TEST(DraftKernel, HasAThreadForEachTurnOfTheOuterLoops) {
  EXPECT_EQ(
      kernel_of("#define HALF 0.5f\n"
                "static inline float half(float v) { return HALF * v; }\n"
                "void mm(int n, int m, float a, const float* x, const float w[n][m], float* y) {\n"
                "  int i, j, k;\n"
                "  for (i = 0; i < n; i++)\n    for (j = 1; j < m - 1; j++) {\n"
                "      y[i * m + j] *= a;\n"
                "      for (k = 0; k < m; k++) y[i * m + j] += half(x[i * m + k]) * w[k][j];\n"
                "    }\n}\n"),
      "// mm with one thread for each turn of its outer loops, drafted from the C function.\n"
      "// kw: when m - 2 > 0\n"
      "// kw:   launch mm_1 grid(ceil_div(n * (m - 2), 256)) block(256) args(n, m, a, x, w, y)\n"
      "// kw: end\n\n"
      "#define HALF 0.5f\n\n"
      "static __device__ float half(float v) { return HALF * v; }\n\n"
      "extern \"C\" __global__ void mm_1(int n, int m, float a, const float* x, const float* w, "
      "float* y) {\n"
      "  const long long at = blockIdx.x * 256LL + threadIdx.x;\n"
      "  if (at >= 1LL * n * (m - 2)) return;\n"
      "  const long long i = at / (m - 2);\n"
      "  const long long j = 1 + at % (m - 2);\n"
      "  int k;\n"
      "  {\n"
      "      y[i * m + j] *= a;\n"
      "      for (k = 0; k < m; k++) y[i * m + j] += half(x[i * m + k]) * w[(1LL * (k)) * (m) + "
      "(j)];\n"
      "    }\n}\n");
}

TEST(DraftKernel, OfThousandsOfStatementsTakesNoTimeForEachPairOfThem) {
  std::string source = "void unrolled(int n, const float* x, float* y) {\n";
  source += "  for (int i = 0; i < n; i++) {\n";
  for (int i = 0; i < 1500; ++i) source += "    y[i] += x[i];\n";
  EXPECT_THAT(kernel_of(source + "  }\n}\n"), testing::HasSubstr("launch unrolled_1"))
      << "comparing the uses of y once for each statement that writes it takes many seconds";
}

TEST(DraftKernel, KeepsStepsInOrder) {
  const std::string kernel = kernel_of(
      "void sweeps(int t, int n, double x[n], double y[n]) {\n"
      "  for (int s = 0; s < t; s++) {\n"
      "    for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1];\n"
      "    for (int i = 1; i < n - 1; i++) x[i] = y[i - 1] + y[i + 1];\n  }\n}\n");
  EXPECT_THAT(kernel,
              testing::HasSubstr(
                  "// kw: for s = 0 .. t\n"
                  "// kw:   when n - 2 > 0\n"
                  "// kw:     launch sweeps_1 grid(ceil_div((n - 2), 256)) block(256) args(t, "
                  "n, x, y, s)\n"
                  "// kw:   end\n"
                  "// kw:   when n - 2 > 0\n"
                  "// kw:     launch sweeps_2 grid(ceil_div((n - 2), 256)) block(256) args(t, "
                  "n, x, y, s)\n"
                  "// kw:   end\n"
                  "// kw: end\n"));
}

TEST(DraftKernel, IsLeftOutWhereItWouldTakeMoreLaunchesThanAPlanMayHave) {
  const auto sweep = [](const std::string& loop) {
    return draft("void f(int a, int b, int n, double x[a][b][n], double s[n]) {\n  " + loop +
                 "for (int p = 0; p < n; p++) s[p] = 2 * x[0][0][p];\n"
                 "    for (int p = 0; p < n; p++) x[0][1][p] = s[p];\n  }\n}\n");
  };
  const auto many = sweep("for (int r = 0; r < a; r++)\n  for (int q = 0; q < b; q++) {\n    ");
  EXPECT_FALSE(many.files.contains("baselines/naive.cu"));
  EXPECT_THAT(many.notes, testing::Contains(testing::HasSubstr("baselines/naive.cu")));
  EXPECT_TRUE(sweep("for (int r = 0; r < a; r++) {\n    ").files.contains("baselines/naive.cu"));
}

TEST(DraftKernel, IsLeftOutWhereTurnsDependOnEachOther) {
  const auto body = [](const std::string& code) {
    return kernel_of("void f(int n, int m, const int* at, const float* x, float* y) {\n  " + code +
                     "\n}\n");
  };
  EXPECT_NE(body("for (int i = 0; i < n; ++i) y[i] = x[at[i]];"), "none");
  for (const char* code : {
           "float s = 0; for (int i = 0; i < n; ++i) { s += x[i]; y[i] = s; }",
           "for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];",
           "for (int i = 0; i < n; ++i) y[at[i]] = x[i];",
           "for (int i = 0; i < n; ++i) y[0] += x[i];",
           "for (int i = 0; i < n; ++i) { if (x[i] < 0) break; y[i] = x[i]; }",
           "for (int i = 0; i < n; ++i)\n for (int j = 0; j < 2 * m; ++j) y[i * m + j] = x[j];",
           "for (int i = 0; i < n; ++i)\n for (int j = 0; j < m; ++j) y[i + j] += x[i * m + j];",
       })
    EXPECT_EQ(body(code), "none") << code;
}

}  // namespace
}  // namespace kw::task
