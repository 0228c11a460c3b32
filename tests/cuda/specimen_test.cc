// Tests of kw-specimen on a GPU or its stand-in: the program runs a candidate's kernels one after
// the other in the profile jail, where profilers and sanitizers examine them.
// SPDX-License-Identifier: Apache-2.0
#include "profile/specimen.h"

#include <gmock/gmock.h>

#include <chrono>

#include "gpu.h"
#include "platform/subprocess.h"
#include "profile/sanitizer.h"
#include "profile/tool.h"

namespace kw::testing_gpu {
namespace {

using profile::SpecimenReport;
using testing::HasSubstr;
using testing::SizeIs;

class Specimen : public Gpu {
 protected:
  static constexpr std::int32_t kElements = 5000;

  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    room_.gpu = device::surroundings_of(*gpu());
    ASSERT_NE(room_.gpu, nullptr);
    room_.jail = jail_level();
    room_.ops_path = trusted("device_ops").path;
    room_.player_path = trusted("device_player").path;
    room_.program = KW_BINARY_DIR "/bin/kw-specimen";
    job_.object = kernels();
    job_.workload.name = "w";
    for (const char* name : {"x", "y"}) {
      Tensor t;
      t.name = name;
      t.role = std::string(name) == "x" ? TensorRole::In : TensorRole::InOut;
      t.values.kind = "uniform";
      t.values.numbers = {{"lo", 0}, {"hi", 1}};
      t.sizes = {kElements};
      t.pitch = kElements;
      job_.workload.tensors.push_back(t);
    }
  }

  SpecimenReport run() {
    const auto ran =
        profile::run_tool(room_, {.words = {}, .timeout = std::chrono::minutes(2)}, job_);
    EXPECT_TRUE(ran.has_value()) << describe(ran.error());
    if (!ran.has_value()) return {};
    EXPECT_TRUE(ran->report.has_value()) << ran->exit.out << ran->exit.err;
    return ran->report.value_or(SpecimenReport{.failure = "no report", .step_ns = {}});
  }

  profile::SpecimenRoom room_;
  profile::SpecimenJob job_;
};

TEST_F(Specimen, TimesEveryStepOfAPlanApart) {
  PlanStep fill;
  fill.kind = StepKind::Fill;
  fill.to = {.memory = PlanMemory::Tensor, .index = 1};
  fill.bytes = 4 * kElements, fill.unit = 4;
  PlanStep copy;
  copy.kind = StepKind::Copy;
  copy.to = {.memory = PlanMemory::Workspace, .index = 0};
  copy.from = {.memory = PlanMemory::Tensor, .index = 0};
  copy.bytes = 64;
  job_.plan = plan_of({saxpy(2, kElements), fill, copy, saxpy(3, kElements)});
  job_.plan.workspaces = {{.name = "w", .bytes = 256, .initial = Initial::Zero}};
  job_.runs = 3;
  job_.marked = {0, 3};
  job_.flushes = true;
  const SpecimenReport report = run();
  EXPECT_EQ(report.failure, "");
  ASSERT_THAT(report.step_ns, SizeIs(4));
  for (const double ns : report.step_ns) EXPECT_GE(ns, 0);
}

TEST_F(Specimen, ReportsARefusedLaunchInWords) {
  PlanStep step = saxpy(2, kElements);
  step.kernel = "nobody";
  job_.plan = plan_of({step});
  EXPECT_THAT(run().failure, HasSubstr("nobody"));
  job_.object.path = room_.ops_path;
  job_.plan = plan_of({saxpy(2, kElements)});
  EXPECT_THAT(run().failure, HasSubstr("saxpy"));
}

TEST_F(Specimen, RunsItsControlLast) {
  for (const char* tool : {"racecheck", "initcheck"}) {  // tools for errors that do no harm
    job_.plan = plan_of({saxpy(2, kElements)});
    job_.control = {trusted("trusted_control")};
    job_.defect = std::string("kw_control_") + tool;
    EXPECT_EQ(run().failure, "");
  }
  job_.defect = "kw_control_of_nothing";
  EXPECT_THAT(run().failure, HasSubstr("the control: "));
}

}  // namespace
}  // namespace kw::testing_gpu
