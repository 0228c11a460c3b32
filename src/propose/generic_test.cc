// Tests of the variants that every loop nest gets.
// SPDX-License-Identifier: Apache-2.0
#include "propose/generic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace kw::propose {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

}  // namespace
}  // namespace kw::propose
