// Tests of drafting with small sources: each shows one construct that is read, misleading, or
// refused.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace kw::import {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kKernel =
    "__global__ void k(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = x[i];\n"
    "}\n";

PlanDraft drafted(const std::string& host, std::string_view function = {}) {
  return draft_plan(kKernel + host, "f.cu", nullptr, function);
}

/// The first launch line in the draft of a host function with this body and parameters x, y and n.
std::string launch_of(const std::string& body) {
  const PlanDraft draft =
      drafted("void solve(const float* x, float* y, int n) {\n" + body + "\n}\n");
  for (const Finding& finding : draft.missing) return "missing: " + finding.about;
  for (const std::string_view line : split_lines(draft.source))
    if (line.starts_with("// kw: launch ")) return std::string(line.substr(14));
  return draft.source;
}

std::string grid_of(const std::string& grid) {
  const std::string line = launch_of("k<<<" + grid + ", 256>>>(x, y, n);");
  const auto end = line.find(" block(256)");
  return line.starts_with("k grid(") && end != std::string::npos ? line.substr(7, end - 8) : line;
}

TEST(PlanDraft, WritesUsualWaysToRoundUpAsOne) {
  for (const char* grid : {"(n + 255) / 256", "(n + 256 - 1) / 256", "(n - 1) / 256 + 1",
                           "1 + (n - 1) / 256", "(int)ceil((float)n / 256)", "std::ceil(n / 256.0)",
                           "(n + 0xff) >> 8", "n % 256 == 0 ? n / 256 : n / 256 + 1",
                           "dim3((n + 255u) / 256u)", "static_cast<unsigned int>((n + 255) / 256)",
                           "at::ceil_div(n, 256)", "dim3{(unsigned)((n + 255) / 256), 1, 1}"})
    EXPECT_EQ(grid_of(grid), "ceil_div(n, 256)") << grid;
}

TEST(PlanDraft, FollowsArithmetic) {
  EXPECT_EQ(grid_of("n / 4 * 2"), "n / 4 * 2");
  EXPECT_EQ(grid_of("std::min(1024, n)"), "min(1024, n)");
  EXPECT_EQ(grid_of("n > 1024 ? 1024 : n"), "min(n, 1024)");
  EXPECT_EQ(grid_of("(n + 31) & ~31"), "ceil_div(n, 32) * 32");
  EXPECT_EQ(grid_of("n & 7"), "n % 8");
  EXPECT_EQ(grid_of("1 << 4"), "16");
  EXPECT_EQ(grid_of("n - (4 - 2)"), "n - 2");
  EXPECT_EQ(grid_of("n * sizeof(float) / 4"), "n");
  EXPECT_EQ(grid_of("2 * (n + 3)"), "2 * (n + 3)");
}

TEST(PlanDraft, ReadsNumbersAsCDoes) {
  for (const auto& [text, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"0b1000", "8"},
                                                                  {"010", "8"},
                                                                  {"0", "0"},
                                                                  {"0x1Fu", "31"},
                                                                  {"1'000ULL", "1000"},
                                                                  {"8uz", "8"}})
    EXPECT_EQ(grid_of("n + " + std::string(text)),
              value == std::string("0") ? "n" : "n + " + std::string(value));
  for (const char* text : {"16_KB", "1.5_KB", "09", "0b12", "0x", "12abc", "99999999999999999999"})
    EXPECT_THAT(grid_of("n + " + std::string(text)), HasSubstr("missing: ")) << text;
}

TEST(PlanDraft, FollowsLambdasWhereTheyWereWritten) {
  EXPECT_EQ(launch_of("int a = 5; auto up = [](int a) { return (a + 63) / 64; };\n"
                      "k<<<up(n), 64>>>(x, y, a);"),
            "k grid(ceil_div(n, 64)) block(64) args(x, y, 5)");
  const PlanDraft draft = drafted(
      "template <typename F> void twice(F f, int m) { int b = 7; f(m); f(m + b); }\n"
      "void solve(const float* x, float* y, int n) {\n"
      "  int b = 32;\n"
      "  auto run = [&](int g) { if (n < 9) { k<<<1, 64>>>(x, y, n); return; } k<<<g, b>>>(x, y, "
      "n); };\n"
      "  twice(run, n);\n"
      "  k<<<n, 128>>>(x, y, n);\n}\n");
  const std::string branch =
      "// kw: when n < 9\n// kw:   launch k grid(1) block(64) args(x, y, n)\n// kw: else\n";
  EXPECT_THAT(draft.source,
              HasSubstr(branch + "// kw:   launch k grid(n) block(32) args(x, y, n)\n// kw: end\n" +
                        branch +
                        "// kw:   launch k grid(n + 7) block(32) args(x, y, n)\n// kw: end\n"
                        "// kw: launch k grid(n) block(128) args(x, y, n)\n"))
      << (draft.missing.empty() ? "" : draft.missing[0].text);
}

TEST(PlanDraft, KeepsArithmeticThatDoesNotFit) {
  const std::string least = "(-9223372036854775807 - 1)";
  EXPECT_THAT(grid_of("n - " + least), HasSubstr("n - "));
  EXPECT_THAT(grid_of("(n - " + least + ") - " + least), HasSubstr("n - "));
  EXPECT_THAT(grid_of("(n - " + least + " - 1) / 256"), HasSubstr("n - "));
}

TEST(PlanDraft, FollowsVariablesHelpersAndMacros) {
  EXPECT_EQ(launch_of("const int t = 128; int b = n; b += t - 1; b /= t; k<<<b, t>>>(x, y, n);"),
            "k grid(ceil_div(n, 128)) block(128) args(x, y, n)");
  EXPECT_EQ(launch_of("dim3 g; g.x = n; g.y = 2; k<<<g, 64>>>(x, y, n);"),
            "k grid(n, 2) block(64) args(x, y, n)");
  EXPECT_EQ(launch_of("auto up = [](int a) { return (a + 63) / 64; };\nk<<<n, 64>>>(x, y, n);"),
            "k grid(n) block(64) args(x, y, n)");
  const PlanDraft draft = drafted(
      "#define THREADS 64\n#define BLOCKS(n) (((n) + THREADS - 1) / THREADS)\n"
      "static int twice(int a) { if (a == 0) { return 0; } return 2 * a; }\n"
      "#define RUN(kernel, grid, ...) kernel<<<(grid), THREADS>>>(__VA_ARGS__)\n"
      "void solve(const float* x, float* y, int n) { RUN(k, twice(BLOCKS(n)), x, y, n); }\n");
  EXPECT_THAT(draft.source,
              HasSubstr("launch k grid(ceil_div(n, 64) == 0 ? 0 : 2 * ceil_div(n, 64)) block(64) "
                        "args(x, y, n)"));
}

TEST(PlanDraft, TakesTypesOfArgumentsFromTheKernel) {
  const PlanDraft draft = draft_plan(
      "__global__ void k(float* y, size_t n, unsigned m, double a, float b, bool on, float* none) "
      "{}\n"
      "void solve(float* y, int n, float a) { k<<<1, 32>>>(y, n, n + 1, a, 0.5, true, nullptr); "
      "}\n",
      "f.cu", nullptr);
  EXPECT_THAT(draft.source,
              HasSubstr("args(y, u64(n), u32(n + 1), f64(a), f32(0.5), u8(1), null)"));
}

TEST(PlanDraft, MakesBranchesGuardsAndLoopsLoops) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n, int steps) {\n"
      "  if (n == 0) return;\n"
      "  if (n < 1024) { k<<<1, 1024>>>(x, y, n); return; }\n"
      "  for (int s = 0; s < steps; ++s) k<<<n, 64>>>(x, y, s);\n"
      "}\n");
  EXPECT_THAT(draft.source, HasSubstr("// kw: when n != 0\n"
                                      "// kw:   when n < 1024\n"
                                      "// kw:     launch k grid(1) block(1024) args(x, y, n)\n"
                                      "// kw:   else\n"
                                      "// kw:     for s = 0 .. steps\n"
                                      "// kw:       launch k grid(n) block(64) args(x, y, s)\n"
                                      "// kw:     end\n"
                                      "// kw:   end\n"
                                      "// kw: end\n"));
}

TEST(PlanDraft, RefusesToLeaveATurnUndecided) {
  const std::string launch = "k<<<n, 64>>>(x, y, s); ";
  for (const std::string leap : {"if (s == n) continue; ", "if (s == n) break; ",
                                 "if (s != n) {} else break; ", "if (x[s] > 0) continue; "})
    for (const std::string high : {"n", "4"}) {
      const std::string head = "for (int s = 0; s < " + high + "; ++s) { ";
      EXPECT_THAT(launch_of(head + leap + launch + "}"), HasSubstr("missing: ")) << leap << high;
      EXPECT_EQ(launch_of(head + leap + "n += 0; } k<<<n, 64>>>(x, y, 1);"),
                "k grid(n) block(64) args(x, y, 1)")
          << leap << high;
    }
  EXPECT_EQ(launch_of("for (int s = 0; s < 4; ++s) { if (s == 0) continue; if (s == 2) break; " +
                      launch + "}"),
            "k grid(n) block(64) args(x, y, 1)");
  EXPECT_THAT(launch_of("int b = 1; while (b < 8) { if (n == b) break; b *= 2; } "
                        "k<<<b, 64>>>(x, y, n);"),
              HasSubstr("missing: "));
}

TEST(PlanDraft, RefusesAReturnThatABlockOfThePlanCannotHold) {
  EXPECT_EQ(launch_of("for (int s = 0; s < n; ++s) {\n"
                      "if (n < 9) { k<<<1, 64>>>(x, y, s); return; } k<<<2, 64>>>(x, y, s); }"),
            "missing: return in a loop");
}

TEST(PlanDraft, GuardsWhatFollowsAReturnOfAnInnerBranch) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n) {\n"
      "  if (n < 9) { if (n < 5) { k<<<1, 64>>>(x, y, n); return; } k<<<2, 64>>>(x, y, n); }\n"
      "  k<<<3, 64>>>(x, y, n);\n}\n");
  EXPECT_THAT(draft.source, HasSubstr("// kw: when n < 9\n"
                                      "// kw:   when n < 5\n"
                                      "// kw:     launch k grid(1) block(64) args(x, y, n)\n"
                                      "// kw:   else\n"
                                      "// kw:     launch k grid(2) block(64) args(x, y, n)\n"
                                      "// kw:   end\n"
                                      "// kw: end\n"
                                      "// kw: when !(n < 9 && n < 5)\n"
                                      "// kw:   launch k grid(3) block(64) args(x, y, n)\n"
                                      "// kw: end\n"));
}

TEST(PlanDraft, TakesALoopOfMainOnceOnlyWhereItsTurnsAreAlike) {
  const auto main_with = [](const std::string& loop) {
    return drafted(
        "int main(int argc, char** argv) {\n"
        "  int n = atoi(argv[1]); int turns = atoi(argv[2]); float* a; float* b; int s = 1;\n"
        "  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));\n"
        "  float* h = (float*)malloc(n * sizeof(float)); float total = 0;\n"
        "  cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);\n"
        "  for (int i = 0; i < turns; ++i) { " +
        loop +
        " }\n"
        "  cudaMemcpy(h, b, n * sizeof(float), cudaMemcpyDeviceToHost);\n}\n");
  };
  const auto is_once = [&](const std::string& loop) {
    const PlanDraft draft = main_with(loop);
    for (const std::string& text : draft.assumptions)
      if (text.contains("only repeats the same launches")) return true;
    return false;
  };
  const auto is_refused = [&](const std::string& loop, const char* why) {
    for (const Finding& finding : main_with(loop).missing)
      if (finding.text.contains(why)) return true;
    return false;
  };
  EXPECT_TRUE(is_once("k<<<n, 64>>>(a, b, n); total += 1;"));
  EXPECT_FALSE(is_once("k<<<n, 64>>>(a, b, i);"));
  EXPECT_FALSE(is_once("k<<<n, i + 1>>>(a, b, n);"));
  EXPECT_FALSE(is_once("k<<<n, 64, i * 4>>>(a, b, n);"));
  EXPECT_TRUE(is_refused("k<<<n, 64>>>(a, b, n); std::swap(a, b);", "changes between iterations"));
  EXPECT_TRUE(is_refused("k<<<n, 64>>>(a, b, s); s *= 2;", "changes between iterations"));
}

TEST(PlanDraft, ReadsLoopsWithinLoopsInBoundedTime) {
  for (const char* head : {"for (int i = 0; i < n; ++i) ", "for (int i = 0; i < 2; ++i) "}) {
    std::string loops;
    for (int i = 0; i < 60; ++i) loops += head;
    for (const char* body :
         {"k<<<n, 64>>>(a, a, n);", "{ if (n < 3) break; k<<<n, 64>>>(a, a, n); }"})
      drafted(
          "int main(int argc, char** argv) { int n = atoi(argv[1]); float* a; cudaMalloc(&a, n * "
          "4); " +
          loops + body + " }\n");
  }
}

TEST(PlanDraft, UndoesTurnsThatCannotBeCounted) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n) {\n"
      "  int s = 0;\n"
      "  while (s < 2) {\n"
      "    if (n < 9) { k<<<1, 64>>>(x, y, s); return; }\n"
      "    s = n;\n"
      "  }\n"
      "  k<<<n, 64>>>(x, y, n);\n}\n");
  EXPECT_FALSE(draft.is_complete());
  for (const Finding& finding : draft.missing) EXPECT_THAT(finding.about, Not(HasSubstr(" end")));
}

TEST(PlanDraft, UnrollsLoopsThatCountByNumbers) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n) {\n"
      "  for (int s = 1; s < 8; s *= 2) k<<<n, 64>>>(x, y, s);\n}\n");
  EXPECT_THAT(draft.source,
              HasSubstr("args(x, y, 1)\n// kw: launch k grid(n) block(64) args(x, y, 2)\n"
                        "// kw: launch k grid(n) block(64) args(x, y, 4)\n"));
}

TEST(PlanDraft, MakesTemporariesWorkspaces) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n) {\n"
      "  float* t; int* flags; double2* pairs;\n"
      "  cudaMalloc(&t, n * sizeof(float));\n"
      "  cudaMalloc((void**)&flags, sizeof(int) * (n + 1));\n"
      "  cudaMemset(flags, 0, sizeof(int) * (n + 1));\n"
      "  k<<<n, 64>>>(x, t, n);\n"
      "  k<<<n, 64>>>(t + n / 2, y, n);\n"
      "  k<<<n, 64>>>((const float*)flags, y, n);\n"
      "  cudaMemsetAsync(t, 0xff, n * sizeof(float));\n"
      "}\n");
  EXPECT_THAT(draft.source, HasSubstr("workspace t f32 [n]\n"));
  EXPECT_THAT(draft.source, HasSubstr("workspace flags i32 [n + 1] zeroed\n"));
  EXPECT_THAT(draft.source, HasSubstr("args(t[n / 2], y, n)"));
  EXPECT_THAT(draft.source, HasSubstr("fill t with bits(-1)\n"));
}

TEST(PlanDraft, FillsAsManyElementsAsAreCleared) {
  const auto filled = [](const std::string& statement) {
    const PlanDraft draft = drafted(
        "void solve(const float* x, float* y, int n) {\n"
        "  float* t; float4* v; cudaMalloc(&t, n * sizeof(float)); cudaMalloc(&v, n * "
        "sizeof(float4));\n"
        "  k<<<n, 64>>>(x, t, n); k<<<n, 64>>>(x, (float*)v, n);\n" +
        statement + "\n  k<<<n, 64>>>(t, y, n);\n}\n");
    for (const Finding& finding : draft.missing) return "missing: " + finding.about;
    for (const std::string_view line : split_lines(draft.source))
      if (line.starts_with("// kw: fill ") || line.starts_with("// kw: copy "))
        return std::string(line.substr(7));
    return draft.source;
  };
  EXPECT_EQ(filled("cudaMemset(t, 0, n * sizeof(float));"), "fill t with 0");
  EXPECT_EQ(filled("cudaMemset(t, 0, n);"), "missing: byte count");
  EXPECT_EQ(filled("cudaMemset(t + 8, 0, 16 * sizeof(float));"), "fill t[8 : 24] with 0");
  EXPECT_EQ(filled("cudaMemset(t + n / 2, 0, sizeof(float));"), "fill t[n / 2 : n / 2 + 1] with 0");
  EXPECT_EQ(filled("cudaMemset(v + 1, 0, 2 * sizeof(float4));"), "fill v[4 : 12] with 0");
  EXPECT_EQ(filled("const int b = 40; cudaMemset(t, 0, b);"), "fill t[0 : 10] with 0");
  EXPECT_THAT(filled("cudaMemset(t, 0, ask());"), HasSubstr("missing: "));
}

TEST(PlanDraft, IsNotMisledByTextThatIsNoCode) {
  const PlanDraft draft = drafted(
      "// solve<<<1, 1>>>(x);\n/* k<<<2, 2>>>(x, y, n); */\n"
      "const char* text = R\"(k<<<3, 3>>>(x, y, n); void solve() { )\";\n"
      "#if 0\nvoid solve(float* z) { k<<<4, 4>>>(z, z, 1); }\n#endif\n"
      "#ifdef OLD\nvoid solve(float* z) { k<<<5, 5>>>(z, z, 1); }\n#else\n"
      "void solve(const float* x, float* y, int n) { printf(\"<<<%d>>>\", n); k<<<n, 64>>>(x, y, "
      "n); }\n"
      "#endif\n");
  ASSERT_TRUE(draft.is_complete());
  EXPECT_THAT(draft.source, HasSubstr("launch k grid(n) block(64) args(x, y, n)"));
  EXPECT_THAT(draft.source, Not(HasSubstr("4, 4")));
  EXPECT_THAT(draft.source, Not(HasSubstr("#")));
  EXPECT_THAT(draft.assumptions, testing::Contains(HasSubstr("'OLD' is not defined")));
}

TEST(PlanDraft, DecidesNoConditionThatItReadsInPart) {
  const auto drafted_if = [](const std::string& condition) {
    return drafted("#define VERSION 3\n#if " + condition +
                   "\n#define GRID n\n#else\n#define GRID 7\n#endif\n"
                   "void solve(const float* x, float* y, int n) { k<<<GRID, 64>>>(x, y, n); }\n");
  };
  EXPECT_THAT(drafted_if("VERSION - 2 == 1 && !(VERSION & 4)").source, HasSubstr("grid(n)"));
  EXPECT_THAT(drafted_if("VERSION * 2 - 6").source, HasSubstr("grid(7)"));
  const PlanDraft draft = drafted_if("VERSION ? 1 : 0");
  ASSERT_EQ(draft.missing.size(), 1u);
  EXPECT_EQ(draft.missing[0].place, "f.cu:11:51") << "where the macro GRID is used";
  EXPECT_EQ(draft.missing[0].about, "macro");
}

TEST(PlanDraft, WritesTheNameOfTheFileInOneLine) {
  const PlanDraft draft =
      draft_plan(std::string(kKernel) +
                     "void solve(const float* x, float* y, int n) { k<<<n, 64>>>(x, y, n); }\n",
                 "f.cu\n// kw: workspace w f32 [1]\n", nullptr);
  EXPECT_THAT(draft.source, Not(HasSubstr("\n// kw: workspace")));
}

TEST(PlanDraft, TakesKnobsOfTheFile) {
  const PlanDraft draft = draft_plan(
      "// kw: tune BLOCK = 256, 128\n"
      "__global__ void k(float* y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = 0; }\n"
      "void solve(float* y, int n) { k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }\n",
      "f.cu", nullptr);
  EXPECT_THAT(draft.source, HasSubstr("grid(ceil_div(n, BLOCK)) block(BLOCK)"));
}

TEST(PlanDraft, NamesAllThatIsMissingAtOnce) {
  const PlanDraft draft = drafted(
      "void solve(const float* x, float* y, int n) {\n"
      "  int blocks = ask();\n"
      "  k<<<blocks, 64>>>(x, y, n);\n"
      "  cublasSgemm(handle);\n"
      "  cudaGraphLaunch(graph, 0);\n"
      "  while (n > 1) { k<<<1, 64>>>(x, y, n); n /= 2; }\n"
      "  unknown_kernel<<<1, 1>>>(x);\n"
      "}\n");
  ASSERT_EQ(draft.missing.size(), 5u);
  EXPECT_EQ(draft.missing[0].place, "f.cu:7:7");
  EXPECT_EQ(draft.missing[0].about, "grid");
  EXPECT_EQ(draft.missing[1].place, "f.cu:8:3");
  EXPECT_EQ(draft.missing[1].about, "library call");
  EXPECT_EQ(draft.missing[2].place, "f.cu:9:3");
  EXPECT_EQ(draft.missing[2].about, "CUDA graph");
  EXPECT_EQ(draft.missing[3].place, "f.cu:10:3");
  EXPECT_EQ(draft.missing[3].about, "loop range");
  EXPECT_EQ(draft.missing[4].place, "f.cu:11:3");
  EXPECT_EQ(draft.missing[4].about, "unknown kernel");
  EXPECT_EQ(draft.source, "");
}

TEST(PlanDraft, ChoosesAFunctionAndSaysSo) {
  const std::string two =
      "void first(const float* x, float* y, int n) { k<<<n, 32>>>(x, y, n); }\n"
      "void second(const float* x, float* y, int n) { k<<<n, 64>>>(x, y, n); }\n";
  const PlanDraft draft = drafted(two);
  EXPECT_EQ(draft.function, "first");
  EXPECT_THAT(draft.assumptions,
              testing::Contains(HasSubstr("--function chooses another: second")));
  EXPECT_THAT(drafted(two, "second").source, HasSubstr("block(64)"));
  EXPECT_EQ(drafted(two, "secont").missing[0].about, "secont");
}

TEST(PlanDraft, SaysWhatTaskItNeeds) {
  const PlanDraft draft =
      drafted("void solve(const float* x, float* y, int n) { k<<<n, 64>>>(x, y, n); }\n");
  EXPECT_EQ(draft.wanted, "tensors x (in), y (out), and numbers n");
}

TEST(PlanDraft, RefusesWhatIsNoSource) {
  EXPECT_EQ(draft_plan("", "f.cu", nullptr).missing[0].about, "empty");
  EXPECT_EQ(draft_plan("int f;", "f.cu", nullptr).missing[0].about, "<<< >>>");
  EXPECT_FALSE(draft_plan(std::string(100'000, '('), "f.cu", nullptr).is_complete());
  EXPECT_FALSE(draft_plan(std::string(100'000, '<'), "f.cu", nullptr).is_complete());
  EXPECT_FALSE(draft_plan(std::string(2'000'000, 'x'), "f.cu", nullptr).is_complete());
  EXPECT_FALSE(draft_plan("__global__ void k(int n; if (i < n) {", "f.cu", nullptr).is_complete());
}

TEST(PlanDraft, BringsWhatNvccHasAndNvrtcHasNot) {
  const auto draft = draft_plan(
      "__global__ void k(const float* x, float* y, uint n) {\n"
      "  uint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] < __FLT_MAX__ ? x[i] : 0;\n}\n"
      "void solve(const float* x, float* y, uint n) { k<<<n, 64>>>(x, y, n); }\n",
      "k.cu", nullptr);
  EXPECT_TRUE(draft.source.contains("typedef unsigned int uint;\n")) << draft.source;
  EXPECT_TRUE(draft.source.contains("#define __FLT_MAX__ 3.4")) << draft.source;
  EXPECT_FALSE(draft.source.contains("ushort"));
}

TEST(IsHostLaunched, KnowsFilesThatHaveAPlan) {
  const std::string host =
      "void solve(const float* x, float* y, int n) { k<<<n, 64>>>(x, y, n); }\n";
  EXPECT_TRUE(is_host_launched(kKernel + host));
  EXPECT_FALSE(is_host_launched(kKernel));
  EXPECT_FALSE(is_host_launched("// kw: launch k grid(n) block(64) args(x, y, n)\n" +
                                std::string(kKernel) + host));
  EXPECT_FALSE(is_host_launched(kKernel + ("/* " + host + " */")));
}

}  // namespace
}  // namespace kw::import
