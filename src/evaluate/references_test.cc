// Builds the references of a request, of which changed ones may fail to compile.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluate/prepare.h"
#include "referee/admission.h"
#include "task/reference_loops.h"

namespace kw::evaluate {
namespace {

using testing::ElementsAre;

/// Compiles every text but "wrong".
class Fake final : public compile::Compiler {
 public:
  Result<compile::CompileResult> build(const BuildUnit& unit) override {
    compile::CompileResult result;
    if (unit.files.front().text == "wrong") return result;
    result.outcome = Outcome::Correct;
    result.object.emplace_back().sha256 = unit.role;
    return result;
  }
  const std::string& identity() const override { return name_; }

 private:
  std::string name_ = "fake";
};

void add(EvaluationRequest& request, const std::string& role, const std::string& text) {
  BuildUnit& unit = request.units.emplace_back();
  unit.role = role;
  unit.main_file = "reference.cpp";
  unit.files = {{unit.main_file, text}};
}

std::vector<std::string> built_roles(const EvaluationRequest& request) {
  std::vector<std::string> roles;
  for (const BuildUnit& unit : request.units)
    if (unit.object.size() == 1) roles.push_back(unit.role);
  return roles;
}

TEST(BuildReferences, LeavesOutChangedOnesThatDoNotCompile) {
  Fake compiler;
  EvaluationRequest request;
  add(request, "candidate", "wrong");
  add(request, "reference_f64", "right");
  add(request, kLoopsRole, "wrong");
  add(request, referee::kReorderedRole, "right");
  const auto built = build_references(request, compiler, 1);
  ASSERT_TRUE(built.has_value()) << describe(built.error());
  EXPECT_THAT(built_roles(request), ElementsAre("reference_f64", referee::kReorderedRole));
  EXPECT_EQ(request.units.size(), 2u);
}

TEST(BuildReferences, NeedsTheTasksOwn) {
  Fake compiler;
  EvaluationRequest request;
  add(request, "reference_f64", "wrong");
  EXPECT_FALSE(build_references(request, compiler, 1).has_value());
}

}  // namespace
}  // namespace kw::evaluate
