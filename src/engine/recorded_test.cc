// Steps of a recorded landscape: what is taken from a stored attempt.
// SPDX-License-Identifier: Apache-2.0
#include "engine/recorded.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;

TEST(RecordedStep, HasWhatTheAttemptCameTo) {
  search::Ask ask;
  ask.id = 4;
  ask.idea = 2;
  ask.fidelity = 0.3;
  Attempt attempt;
  attempt.number = 4;
  attempt.parent = 3;
  attempt.ask = search::encode_ask(ask);
  attempt.candidate.name = "tiled";
  attempt.candidate.source = "void f();\n";
  attempt.candidate.origin = Origin::Playbook;
  attempt.candidate.techniques = {"tiling"};
  attempt.candidate.knobs = {{"B", 8}};
  attempt.chosen = "unrolling";
  attempt.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  attempt.evaluation.roofline_fraction = 0.4;
  attempt.against_baseline.value = 1.5;
  const auto step = step_of(attempt);
  ASSERT_TRUE(step) << describe(step.error());
  EXPECT_EQ(step->attempt, 4);
  EXPECT_EQ(step->parent, 3);
  EXPECT_EQ(step->role, search::Role::Idea);
  EXPECT_EQ(step->place, 2);
  EXPECT_EQ(step->fidelity, 0.3);
  EXPECT_TRUE(step->is_expert);
  EXPECT_THAT(step->techniques, ElementsAre("tiling", "unrolling"));
  EXPECT_EQ(step->tell.speedup.value, 1.5);
  EXPECT_EQ(step->tell.roofline_fraction, 0.4);
  EXPECT_FALSE(step->source.empty());

  ask.role = search::Role::Write;
  attempt.ask = search::encode_ask(ask);
  attempt.candidate.source.clear();
  EXPECT_EQ(step_of(attempt)->place, search::kUnwritten);
  EXPECT_TRUE(step_of(attempt)->source.empty());
}

TEST(RecordedStep, AnAskThatCannotBeReadIsNamed) {
  Attempt attempt;
  attempt.number = 7;
  for (const char* ask : {"", "[]", "{}", R"({"role":"idea","fidelity":1})",
                          R"({"role":"dance","fidelity":1,"idea":0})",
                          R"({"role":"idea","fidelity":"1","idea":0})"}) {
    attempt.ask = ask;
    EXPECT_THAT(step_of(attempt), IsErrorAt(testing::StartsWith("ask of attempt 7"))) << ask;
  }
}

}  // namespace
}  // namespace kw::engine
