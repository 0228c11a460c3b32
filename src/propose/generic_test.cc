// Tests of the variants that every loop nest gets.
// SPDX-License-Identifier: Apache-2.0
#include "propose/generic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

/// Steps in order, rows at once, sources one after another: what a wave does.
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
