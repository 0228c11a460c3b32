// Tests of the variants that are made of any nest of loops.
// SPDX-License-Identifier: Apache-2.0
#include "propose/generic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace kw::propose {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Task dot_task() {
  Task task;
  task.name = task.function = "dot";
  task.signature = {{"n", false, Dtype::I32, TensorRole::In},
                    {"x", true, Dtype::F32, TensorRole::In},
                    {"y", true, Dtype::F32, TensorRole::Out}};
  return task;
}

constexpr const char* kDot =
    "template <class Real>\n"
    "void reference(int n, const Real* x, Real* y) {\n"
    "  Real sum = 0;\n"
    "  for (int i = 0; i < n; ++i) sum += x[i];\n"
    "  y[0] = sum;\n"
    "}\n";

TEST(Generic, TheParallelFormIsTheReferenceWithOnePragma) {
  const std::string form = parallel_form(dot_task(), kDot);
  EXPECT_THAT(form, HasSubstr("#pragma omp parallel for reduction(+ : sum)\n  for (int i"));
  EXPECT_THAT(form, HasSubstr("extern \"C\" void dot(int n, const float* x, float* y)"));
  EXPECT_THAT(form, Not(HasSubstr("__restrict")));
}

TEST(Generic, AReferenceWithoutLoopsHasNoParallelForm) {
  EXPECT_EQ(parallel_form(dot_task(), "template <class R> void reference(int, const R*, R*) {}"),
            "");
}

/// A reference like a wave equation: time steps depend on each other, the rows of a step do not,
/// and sources are added one after another.
constexpr const char* kSteps =
    "template <class Real>\n"
    "void reference(int n, const Real* x, Real* y) {\n"
    "  for (int t = 0; t < 3; ++t) {\n"
    "    const Real* now = y + (t % 2) * n;\n"
    "    Real* next = y + ((t + 1) % 2) * n;\n"
    "    for (int i = 1; i < n - 1; ++i) next[i] = now[i - 1] + now[i + 1];\n"
    "    for (int p = 0; p < n; ++p) {\n"
    "      const int at = static_cast<int>(x[p]);\n"
    "      next[at] += 1;\n"
    "    }\n"
    "  }\n"
    "}\n";

TEST(Generic, NeitherStepsNorScattersRunAtOnce) {
  const std::string form = parallel_form(dot_task(), kSteps);
  EXPECT_THAT(form, HasSubstr("#pragma omp parallel for\n    for (int i"));
  EXPECT_THAT(form, Not(HasSubstr("parallel for\n  for (int t")));
  for (const Variant& v : generic_variants(dot_task(), kSteps)) {
    EXPECT_THAT(v.source, Not(HasSubstr("omp parallel for\n  for (int t"))) << v.name;
    EXPECT_THAT(v.source, Not(HasSubstr("\n    #pragma omp simd\n    for (int p"))) << v.name;
    EXPECT_THAT(v.source, Not(HasSubstr("simd\n    for (int p"))) << v.name;
  }
}

TEST(Generic, AHistogramHasNoParallelForm) {
  EXPECT_EQ(parallel_form(dot_task(),
                          "template <class Real>\n"
                          "void reference(int n, const int* x, int* y) {\n"
                          "  for (int i = 0; i < n; ++i) ++y[x[i]];\n"
                          "}\n"),
            "");
}

std::map<std::string, std::string> sources_of(const Task& task, const std::string& reference) {
  std::map<std::string, std::string> sources;
  for (const Variant& v : generic_variants(task, reference)) sources[v.name] = v.source;
  return sources;
}

TEST(Generic, ASumInMemoryGetsAVariableThatThreadsAndVectorsCanShare) {
  Task task = dot_task();
  task.restrictions.options = {"fast_math"};
  const auto sources = sources_of(task,
                                  "template <class Real>\n"
                                  "void reference(int n, const Real* A, const Real* p, Real* q) {\n"
                                  "  for (int i = 0; i < n; i++) {\n"
                                  "    q[i] = 0;\n"
                                  "    for (int j = 0; j < n; j++)\n"
                                  "      q[i] += A[i * n + j] * p[j];\n"
                                  "  }\n"
                                  "}\n");
  for (const char* name : {"restrict", "accumulate", "simd", "parallel", "parallel1_unroll",
                           "parallel1_fast_math", "parallel1_unroll_loops"})
    EXPECT_TRUE(sources.contains(name)) << name;
  EXPECT_THAT(sources.at("restrict"), Not(HasSubstr("kw_sum")));
  EXPECT_THAT(sources.at("parallel1_fast_math"),
              HasSubstr("  #pragma omp parallel for\n"
                        "  for (int i = 0; i < n; i++) {\n"
                        "    q[i] = 0;\n"
                        "    {\n"
                        "    auto kw_sum0 = q[i];\n"
                        "    #pragma omp simd reduction(+ : kw_sum0)\n"
                        "    for (int j = 0; j < n; j++)\n"
                        "      kw_sum0 += A[i * n + j] * p[j];\n"
                        "    q[i] = kw_sum0;\n"
                        "    }\n"
                        "  }\n"));
}

TEST(Generic, WhereEachStepNeedsTheOneBeforeOptionsAreLeft) {
  constexpr const char* kPrefix =
      "template <class Real>\n"
      "void reference(int n, const Real* x, Real* y) {\n"
      "  y[0] = x[0];\n"
      "  for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];\n"
      "}\n";
  Task task = dot_task();
  auto sources = sources_of(task, kPrefix);
  for (const char* name : {"restrict", "unroll", "unroll_loops", "o2"})
    EXPECT_TRUE(sources.contains(name)) << name;
  for (const auto& [name, source] : sources) {
    EXPECT_THAT(source, Not(HasSubstr("omp"))) << name;
    EXPECT_THAT(source, Not(HasSubstr("fast_math"))) << "the task does not allow it";
  }
  const auto counted = sources_of(task,
                                  "template <class Real>\n"
                                  "void reference(int n, const Real* x, Real* y) {\n"
                                  "  int i = 0;\n"
                                  "  while (i < n) { y[i] = x[i]; i++; }\n"
                                  "}\n");
  EXPECT_TRUE(counted.contains("unroll_loops") && counted.contains("o2"));
  EXPECT_FALSE(counted.contains("unroll")) << "there is no loop that a pragma could stand before";
  task.restrictions.options = {"fast_math"};
  sources = sources_of(task, kPrefix);
  EXPECT_THAT(sources.at("fast_math"), StartsWith("// kw: option fast_math\n"));
}

TEST(Generic, VariantsDifferAndSayWhatTheyChange) {
  const auto variants = generic_variants(dot_task(), kDot);
  std::set<std::string> names;
  std::set<std::string> sources;
  for (const Variant& v : variants) {
    names.insert(v.name);
    sources.insert(v.source);
    EXPECT_FALSE(v.why.empty()) << v.name;
    EXPECT_THAT(v.source, HasSubstr("const Real* __restrict x, Real* __restrict y")) << v.name;
  }
  EXPECT_GE(variants.size(), 3u);
  EXPECT_EQ(names.size(), variants.size());
  EXPECT_EQ(sources.size(), variants.size());
  EXPECT_TRUE(names.contains("parallel"));
  EXPECT_FALSE(names.contains("parallel_second")) << "there is no second loop";
}

TEST(Generic, UnrollsByAConstant) {
  const auto variants = generic_variants(dot_task(),
                                         "template <class Real>\n"
                                         "void reference(int n, const Real* x, Real* y) {\n"
                                         "  for (int i = 0; i < n; ++i)\n"
                                         "    for (int j = 0; j < 4; ++j) y[4 * i + j] = x[j];\n"
                                         "}\n");
  const auto unrolled = std::find_if(variants.begin(), variants.end(),
                                     [](const Variant& v) { return v.name == "parallel1_unroll"; });
  ASSERT_NE(unrolled, variants.end());
  EXPECT_THAT(unrolled->source, StartsWith("// kw: tune UNROLL = 4, 2, 8, 16\n"
                                           "constexpr int kUnroll = UNROLL;\n"));
  EXPECT_THAT(unrolled->source, HasSubstr("#pragma GCC unroll kUnroll\n    for (int j"));
}

}  // namespace
}  // namespace kw::propose
