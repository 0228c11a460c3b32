// Tests of the five commands that kw suggests, by the state of the machine and the workspace.
// SPDX-License-Identifier: Apache-2.0
#include "cli/next_steps.h"

#include <gmock/gmock.h>

namespace kw::cli {
namespace {

using testing::HasSubstr;

RunSummary run_in(RunState state) {
  RunSummary run;
  run.name = "softmax-2";
  run.state = state;
  run.attempts = 12;
  run.best_speedup = 2.5;
  return run;
}

TEST(NextSteps, AreFiveAndFitALineOfATerminal) {
  Standpoint here;
  here.gpu = "NVIDIA H100 80GB HBM3";
  here.gpu_target = "cuda";
  here.key = "OPENAI_API_KEY";
  here.model_form = "openai:NAME";
  for (int i = 0; i < 2; ++i) {
    const auto steps = next_steps(here);
    ASSERT_EQ(steps.size(), 5u);
    std::size_t width = 0;
    for (const SuggestedCommand& step : steps) width = std::max(width, step.command.size());
    for (const SuggestedCommand& step : steps) {
      EXPECT_LE(width + 2 + step.why.size(), 79u) << step.why;
      EXPECT_THAT(step.command, testing::StartsWith("kw "));
    }
    here = {};
  }
}

TEST(NextSteps, TheFirstIsTheSearchThatThereIs) {
  Standpoint here;
  EXPECT_EQ(next_steps(here)[0].command, "kw optimize softmax");
  here.own_tasks = {"tasks/jacobi"};
  EXPECT_EQ(next_steps(here)[0].command, "kw optimize tasks/jacobi");
  here.runs = {run_in(RunState::Finished)};
  EXPECT_EQ(next_steps(here)[0].command, "kw report softmax-2");
  EXPECT_THAT(next_steps(here)[0].why, HasSubstr("2.500x, not confirmed"));
  here.runs.push_back(run_in(RunState::Interrupted));
  EXPECT_EQ(next_steps(here)[0].command, "kw resume softmax-2");
  EXPECT_THAT(next_steps(here)[0].why, HasSubstr("12 attempts"));
  here.runs.back().state = RunState::Running;
  EXPECT_EQ(next_steps(here)[0].command, "kw show softmax-2");
  here.why_no_cpu = "g++: no folder of PATH holds this program";
  EXPECT_EQ(next_steps(here)[0].command, "kw doctor");
  EXPECT_THAT(next_steps(here)[0].why, HasSubstr("g++"));
}

TEST(NextSteps, AGpuIsProposedWhereItCanJudge) {
  Standpoint here;
  EXPECT_EQ(next_steps(here)[3].command, "kw doctor");
  here.gpu = "NVIDIA H100";
  here.gpu_target = "cuda";
  EXPECT_EQ(next_steps(here)[3].command, "kw optimize softmax --target cuda");
  here.why_no_cuda = "no NVRTC";
  EXPECT_EQ(next_steps(here)[3].command, "kw doctor");
  EXPECT_THAT(next_steps(here)[3].why, HasSubstr("no NVRTC"));
}

TEST(NextSteps, AModelIsProposedWhereItsKeyIsSet) {
  Standpoint here;
  EXPECT_EQ(next_steps(here)[4].command, "kw models");
  here.key = "ANTHROPIC_API_KEY";
  here.model_form = "anthropic:NAME";
  EXPECT_EQ(next_steps(here)[4].command, "kw optimize TASK --model anthropic:NAME");
}

}  // namespace
}  // namespace kw::cli
