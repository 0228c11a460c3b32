// Tests: each unit goes to the compiler of its target, and the cuda compiler is created for the
// first cuda unit.
// SPDX-License-Identifier: Apache-2.0
#include "compile/target_compiler.h"

#include <gtest/gtest.h>

#include "base/error_for_test.h"

namespace kw::compile {
namespace {

class Named final : public Compiler {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  Result<CompileResult> build(const BuildUnit&) override {
    CompileResult result;
    result.outcome = Outcome::Correct;
    result.about = name_;
    return result;
  }
  const std::string& identity() const override { return name_; }

 private:
  std::string name_;
};

BuildUnit unit_for(Target target) {
  BuildUnit unit;
  unit.target = target;
  return unit;
}

TEST(TargetCompiler, MakesTheCudaCompilerOnceAndLate) {
  Named cpu("cpu");
  int made = 0;
  const auto open = [&]() -> Result<std::unique_ptr<Compiler>> {
    ++made;
    return std::make_unique<Named>("cuda");
  };
  TargetCompiler both(cpu, {{Target::Cuda, open}});
  EXPECT_EQ(both.build(unit_for(Target::Cpu))->about, "cpu");
  EXPECT_EQ(made, 0);
  EXPECT_EQ(both.identity(), "cpu");
  EXPECT_EQ(both.build(unit_for(Target::Cuda))->about, "cuda");
  EXPECT_EQ(both.build(unit_for(Target::Cuda))->about, "cuda");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(both.identity(), "cpu\ncuda");
}

TEST(TargetCompiler, AMachineWithoutCudaStillBuildsForTheCpu) {
  Named cpu("cpu");
  const auto open = []() -> Result<std::unique_ptr<Compiler>> {
    return fail(ErrorCode::MissingProgram, About{"of the test"}, "no NVRTC", "", Advice::Stop);
  };
  TargetCompiler both(cpu, {{Target::Cuda, open}});
  EXPECT_THAT(both.build(unit_for(Target::Cuda)),
              IsErrorAbout(ErrorCode::MissingProgram, "of the test"));
  EXPECT_EQ(both.build(unit_for(Target::Cpu))->about, "cpu");
}

TEST(TargetCompiler, SaysWhichTargetHasNoCompiler) {
  Named cpu("cpu");
  TargetCompiler alone(cpu, {});
  EXPECT_THAT(alone.build(unit_for(Target::Cuda)), IsErrorAbout(ErrorCode::Unsupported, "cuda"));
}

}  // namespace
}  // namespace kw::compile
