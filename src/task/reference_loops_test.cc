// Tests of the reference whose loops can be cut.
// SPDX-License-Identifier: Apache-2.0
#include "task/reference_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Definition with_reference(const std::string& text) {
  Definition definition;
  definition.task.function = "f";
  definition.task.signature = {{"n", false, Dtype::I32, TensorRole::In},
                               {"x", true, Dtype::F32, TensorRole::In}};
  definition.reference = text;
  return definition;
}

/// "k:3 i:4": variables and lines of the loops that can be cut.
std::string loops_in(const std::string& body) {
  const auto unit = loops_unit(with_reference(
      "template <class Real>\nvoid reference(int n, const Real* x) {" + body + "}\n"));
  if (!unit) return "none";
  std::string text;
  for (const ReferenceLoop& loop : loops_of(*unit))
    text += (text.empty() ? "" : " ") + loop.variable + ":" + std::to_string(loop.line);
  return text;
}

TEST(ReferenceLoops, AreTheOuterCountingLoops) {
  EXPECT_EQ(loops_in("x;"), "none");
  EXPECT_EQ(loops_in("\nfor (int k = 0; k < n; k++)\n for (int i = 0; i < n; i += 2)\n"
                     "  for (long j = n - 1; j >= 0; --j)\n   for (int m = 0; m < n; m++) x[0];\n"
                     "for (size_t last{0}, q = 0; q < n; ++q) ;\n for (p = 0; p < n; p -= -1) ;"),
            "k:3 p:8 i:4 j:5")
      << "outer ones first; none below three; none with two variables";
  EXPECT_EQ(loops_in("for (int i = 0; i < n && x[i] > 0; ++i) ;"), "i:2");
  for (const char* other :
       {"for (;;) ;", "for (int i = 0; i < n || x; ++i) ;", "for (int i = 0; n > i; ++i) ;",
        "for (int i = 0; i < n; i *= 2) ;", "for (int i = 0; i < n--; ++i) ;",
        "for (float v : values) ;", "while (n) ;"})
    EXPECT_EQ(loops_in(other), "none") << other;
  std::string many;
  for (int i = 0; i < 9; ++i) many += "for (int i = 0; i < n; ++i) ;\n";
  EXPECT_EQ(loops_in(many), "i:2 i:3 i:4 i:5 i:6 i:7");
}

TEST(ReferenceLoops, ChangeHeadsAndTheFunctionsName) {
  const auto unit = loops_unit(with_reference(
      "template <class Real>\nvoid reference(int n, const Real* x) {\n#pragma omp parallel for\n"
      "  for (int i = 1; i <= n - 1; i += 2) v::reference();\n}\n"));
  ASSERT_TRUE(unit.has_value());
  EXPECT_EQ(unit->role, kLoopsRole);
  const std::string& text = unit->files.front().text;
  EXPECT_THAT(text,
              HasSubstr("void kw_cut_reference(int n, const Real* x) {\n\n"
                        "  for (int i = kw_loops::first(0, 1, n - 1, true, (2)); i <= n - 1 && "
                        "kw_loops::goes(0, i, 1, n - 1, true, (2)); "
                        "kw_loops::is_backwards(0) ? (void)(i -= 2) : (void)(i += 2)) "
                        "v::reference();"));
  EXPECT_THAT(text, HasSubstr("reference<double>(\n      *static_cast<int*>(args[0]),"));
  EXPECT_THAT(text, Not(HasSubstr("omp")));
}

TEST(ReferenceLoops, OfADraftAreFound) {
  const auto definition =
      parse_task({"draft", draft("void f(int n, const float* x, float* y) {\n"
                                 "  for (int i = 0; i < n; i++) y[i] = x[i];\n}\n")
                               .files});
  ASSERT_TRUE(definition.has_value()) << describe(definition.error());
  const auto unit = loops_unit(*definition);
  ASSERT_TRUE(unit.has_value());
  ASSERT_EQ(loops_of(*unit).size(), 1u);
  EXPECT_EQ(loops_of(*unit).front().variable, "i");
}

}  // namespace
}  // namespace kw::task
