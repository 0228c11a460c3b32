// Tests of the experience with techniques that attempts give, including failed ones, and of how a
// run's own experience reaches its prompts.
// SPDX-License-Identifier: Apache-2.0
#include "memory/experience.h"

#include <gmock/gmock.h>

#include <cmath>

#include "memory/learner.h"
#include "memory/test_task.h"
#include "record/codec.h"

namespace kw::memory {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ExperienceOfTest : public testing::Test {
 protected:
  static Attempt made_from(int parent, Attempt attempt) {
    attempt.parent = parent;
    return attempt;
  }
  static Attempt bound_by(Bound bound, Attempt attempt) {
    WorkloadResult workload;
    workload.group = Group::Time;
    workload.roofline.bound = bound;
    workload.roofline.fraction = 0.5;
    attempt.evaluation.workloads = {workload};
    return attempt;
  }
  std::vector<Experience> see(const Attempt& attempt, bool is_written = true) {
    learner_.observe(attempt, is_written, "2026-01-02T00:00:00Z");
    return learner_.take_experience();
  }

  task::Definition task_ = test_task();
  Learner learner_{{&task_, Target::Cpu, "box", "waves-2"}, {}};
};

TEST_F(ExperienceOfTest, WhatIsNewAgainstTheNearestThatWorkedIsATry) {
  const auto first = see(bound_by(Bound::Memory, correct(1, "a", 2, {"tiling"})));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].bound, Bound::Unknown);
  EXPECT_EQ(first[0].count, (StepCount{1, 1, std::log(2.0)}));
  EXPECT_EQ(first[0].at, "2026-01-02T00:00:00Z");
  const auto broken =
      see(made_from(1, failed(2, "b", Outcome::CompileFailed,
                              {diagnostic("no such name 'x'\nmore")}, {"tiling", "fusion"})));
  ASSERT_THAT(broken, SizeIs(1));
  EXPECT_EQ(broken[0].technique, "fusion");
  EXPECT_EQ(broken[0].bound, Bound::Memory);
  EXPECT_EQ(broken[0].count, (StepCount{1, 0, 0}));
  EXPECT_EQ(broken[0].failure, "compile failed: no such name 'x'");
  const auto mended = see(made_from(2, correct(3, "c", 3, {"tiling", "fusion"})));
  ASSERT_THAT(mended, SizeIs(1));
  EXPECT_EQ(mended[0].count, (StepCount{1, 1, std::log(1.5)})) << "against the first, which worked";
}

TEST_F(ExperienceOfTest, SeveralAtOnceShareTheTry) {
  const auto both = see(correct(1, "a", 4, {"tiling", "fusion"}));
  ASSERT_THAT(both, SizeIs(2));
  for (const Experience& one : both)
    EXPECT_EQ(one.count, (StepCount{0.5, 0.5, 0.5 * std::log(4.0)}));
}

TEST_F(ExperienceOfTest, NothingIsLearntFromWhatSaysNothingAboutKernels) {
  Attempt not_asked = tried(1, "a", {"tiling"});
  not_asked.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "HTTP 400",
                                  Reason::NoAnswer};
  EXPECT_THAT(see(not_asked), IsEmpty());
  Attempt unmeasurable = tried(2, "b", {"tiling"});
  unmeasurable.evaluation.verdict = {Stage::Measure, Outcome::Unmeasurable, ""};
  EXPECT_THAT(see(unmeasurable), IsEmpty());
  EXPECT_THAT(see(correct(3, "c", 2, {"tiling"}), false), IsEmpty()) << "nobody wrote it";
  EXPECT_THAT(see(correct(4, "c", 2, {"tiling"})), IsEmpty()) << "a source teaches once";
}

TEST_F(ExperienceOfTest, OwnTriesReachTheNextPromptAndSayTheSameAgain) {
  EXPECT_THAT(learner_.remembered(Bound::Unknown), IsEmpty());
  see(correct(1, "a", 2, {"tiling"}));
  const auto told = learner_.remembered(Bound::Unknown);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].text, HasSubstr("`tiling`: worked in 1 of 1 tries on first kernels for this "
                                      "very task, 2x"));
  Learner again{{&task_, Target::Cpu, "box", "waves-2"}, {}};
  again.observe(correct(1, "a", 2, {"tiling"}), true, "2027-01-02T00:00:00Z");
  EXPECT_EQ(again.remembered(Bound::Unknown)[0].text, told[0].text) << "whatever the clock says";
}

}  // namespace
}  // namespace kw::memory
