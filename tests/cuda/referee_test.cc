// Tests of the referee on a GPU (or its stand-in): verdicts, and correct results from the host and
// from a fast reference.
// SPDX-License-Identifier: Apache-2.0
#include "referee/referee.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error_for_test.h"
#include "gpu.h"
#include "referee/gpu_room_for_test.h"

namespace kw::testing_gpu {
namespace {

using referee::testing::GpuRoom;

/// Base of tests with the task and host of the referee's own tests, and the real device in place of
/// the fake one.
class Refereed : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    room_ = std::make_unique<GpuRoom>();
    room_->request.jail = jail_level();
    room_->request.until = Stage::Check;
    referee_ = std::make_unique<referee::Referee>(*gpu(), room_->host.get());
    for (BuildUnit& unit : room_->request.units)
      if (unit.target == Target::Cuda) unit.object = {kernels_as(unit.role)};
    use("candidate", "twice");
    use("opponent", "twice");
  }

  /// The test kernels as another object: objects are distinguished by their names.
  static BuiltObject kernels_as(const std::string& name) {
    BuiltObject object = kernels();
    object.sha256 = name;
    return object;
  }

  /// Launches one block for each row; `extra` arguments follow those of the task.
  void use(const std::string& role, const std::string& kernel,
           const std::vector<PlanArgument>& extra = {}, std::int64_t workspace_bytes = 0) {
    room_->add_plans(role, workspace_bytes);
    for (RolePlan& p : room_->request.plans) {
      if (p.role != role) continue;
      PlanStep& step = p.plan.steps.front();
      step.kernel = kernel;
      step.grid = {step.arguments[0].image ? static_cast<std::int64_t>(step.arguments[0].image) : 1,
                   1, 1};
      step.block = {27, 1, 1};
      for (PlanArgument argument : extra) {
        argument.parameter = static_cast<int>(step.arguments.size());
        step.arguments.push_back(argument);
      }
    }
  }

  Evaluation judge() {
    auto evaluation = referee_->judge(room_->request);
    if (evaluation.has_value()) return *std::move(evaluation);
    ADD_FAILURE() << describe(evaluation.error());
    return {};
  }

  void expect(Stage stage, Outcome outcome) {
    const Evaluation e = judge();
    EXPECT_EQ(name_of(e.verdict.stage), name_of(stage)) << e.verdict.evidence;
    EXPECT_EQ(name_of(e.verdict.outcome), name_of(outcome)) << e.verdict.evidence;
  }
  /// Expects this verdict, and then that an honest candidate is still judged correct.
  void expect_once(Stage stage, Outcome outcome) {
    expect(stage, outcome);
    use("candidate", "twice");
    expect(Stage::Check, Outcome::Correct);
  }

  std::unique_ptr<GpuRoom> room_;
  std::unique_ptr<referee::Referee> referee_;
};

TEST_F(Refereed, AnHonestKernelIsCorrect) { expect(Stage::Check, Outcome::Correct); }

TEST_F(Refereed, AMissingRowIsAWrongResult) {
  use("candidate", "twice_but_the_last");
  expect_once(Stage::Check, Outcome::WrongResult);
}

TEST_F(Refereed, AnAddressFarAwayIsOutOfBounds) {
  use("candidate", "twice_and_far");
  expect_once(Stage::Run, Outcome::OutOfBounds);
}

TEST_F(Refereed, AWriteBesideATensorIsOutOfBounds) {
  use("candidate", "twice_and_beside");
  expect_once(Stage::Check, Outcome::OutOfBounds);
}

TEST_F(Refereed, AWriteToAnInputIsAModifiedInput) {
  use("candidate", "twice_in_place");
  expect_once(Stage::Run, Outcome::ModifiedInput);
}

TEST_F(Refereed, AHangEnds) {
  use("candidate", "twice_forever");
  expect_once(Stage::Run, Outcome::TimedOut);
}

TEST_F(Refereed, AKernelThatIsNotThereIsNotLaunched) {
  use("candidate", "twice_or_thrice");
  expect_once(Stage::Launch, Outcome::LaunchFailed);
}

TEST_F(Refereed, AnArgumentTooManyIsNotLaunched) {
  use("candidate", "twice", {number(0, 1)});
  expect_once(Stage::Launch, Outcome::LaunchFailed);
}

TEST_F(Refereed, AKernelThatWorksOnceIsWrong) {
  use("candidate", "twice_once");
  expect_once(Stage::Check, Outcome::WrongResult);
}

TEST_F(Refereed, WorkspacesAreGuarded) {
  constexpr std::int64_t kFloats = referee::testing::kRows * referee::testing::kPitch;
  use("candidate", "twice_by_workspace", {number(0, 0)}, kFloats * 4);
  expect(Stage::Check, Outcome::Correct);
  use("candidate", "twice_by_workspace", {number(0, kFloats)}, kFloats * 4);
  expect_once(Stage::Check, Outcome::OutOfBounds);
}

TEST_F(Refereed, TruthsComeFromAFastReferenceThatAgrees) {
  room_->add_fast([](const auto&) {});
  room_->request.units.back().object = {kernels_as("fast")};
  use("reference_fast", "twice_f64");
  expect(Stage::Check, Outcome::Correct);
}

TEST_F(Refereed, AFastReferenceThatDisagreesIsAnError) {
  room_->add_fast([](const auto&) {});
  room_->request.units.back().object = {kernels_as("fast")};
  use("reference_fast", "nearly_twice_f64");
  const auto e = referee_->judge(room_->request);
  EXPECT_THAT(e, IsErrorAbout(ErrorCode::TaskAtFault, "reference_fast"));
}

TEST_F(Refereed, AMeasurementEndsWithSamplesOnTheDevicesClock) {
  room_->request.until = Stage::Measure;
  room_->request.measure.pairs = 12;
  use("candidate", "twice_slowly", {number(0, 4000)});
  use("opponent", "twice_slowly", {number(0, 16000)});
  const Evaluation e = judge();
  EXPECT_EQ(e.verdict.stage, Stage::Measure) << e.verdict.evidence;
  // On the stand-in speed means nothing, and on a busy machine its clocks disagree.
  if (is_emulated()) return;
  EXPECT_EQ(e.verdict.outcome, Outcome::Correct) << e.verdict.evidence;
  EXPECT_EQ(e.workloads.at(2).samples.size(), 12u);
  EXPECT_TRUE(e.speedup.is_faster);
  EXPECT_NEAR(e.speedup.value, 4, 1);
  ASSERT_EQ(e.workloads.at(2).retimed.size(), 1u);
  EXPECT_NEAR(e.workloads.at(2).retimed[0].call_ns, e.workloads.at(2).median_ns,
              std::max(50e3, 0.05 * e.workloads.at(2).median_ns));
}

}  // namespace
}  // namespace kw::testing_gpu
