// Tests of the methods that follow one kernel: staged, coder-judge, reward-refine, agent.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "search/dialogue_for_test.h"
#include "search/reward_model.h"

namespace kw::search {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

StrategyOptions chain(int rounds, WorkClass work = WorkClass::Elementwise) {
  StrategyOptions options;
  options.rounds = rounds;
  options.work = work;
  return options;
}

StrategyOptions preset(const std::string& name, int rounds = 10) {
  StrategyOptions options = chain(rounds);
  options.preset = name;
  return options;
}

TEST(Staged, TransformsTheLastThatPassedOneStepAtATime) {
  Dialogue d("staged", chain(10));
  const Ask first = d.ask();
  EXPECT_EQ(first.errand, Errand::Write);
  EXPECT_EQ(first.manner.writer.prompt, "staged_first");
  d.works(1);
  const Ask step = d.ask();
  EXPECT_EQ(step.parent, 1);
  EXPECT_EQ(step.manner.writer.prompt, "staged_step");
  EXPECT_EQ(step.manner.form, ReplyForm::Edits);
  d.works(3);
  EXPECT_EQ(d.ask().parent, 2);
  d.works(2);  // a kernel slower than the best
  EXPECT_EQ(d.ask().parent, 3) << "the last that passed, not the best";
}

TEST(Staged, TheMenuFollowsTheClassOfWork) {
  for (const auto& [work, has, lacks] :
       {std::tuple(WorkClass::Matmul, "tensor cores", "fast intrinsics"),
        std::tuple(WorkClass::Elementwise, "vectorization", "shared memory tiling"),
        std::tuple(WorkClass::Convolution, "implicit gemm", "split-k"),
        std::tuple(WorkClass::Other, "warp shuffles", "tensor cores")}) {
    StrategyOptions options = chain(10, work);
    options.target = Target::Cuda;
    Dialogue d("staged", options);
    EXPECT_THAT(d.ask().manner.menu, IsEmpty());
    d.works(1);
    const Ask step = d.ask();
    EXPECT_THAT(step.manner.menu, Contains(testing::Field(&MenuItem::name, has)));
    EXPECT_THAT(step.manner.menu, Not(Contains(testing::Field(&MenuItem::name, lacks))));
  }
}

TEST(Staged, WithholdsTheProfileUntilADepthOfItsClass) {
  for (const auto& [work, depth] :
       {std::pair(WorkClass::Elementwise, 2), std::pair(WorkClass::Matmul, 6),
        std::pair(WorkClass::Convolution, 6), std::pair(WorkClass::Other, 5)}) {
    Dialogue d("staged", chain(10, work));
    d.ask(), d.works(1);
    for (int step = 1; step <= 8; ++step) {
      EXPECT_EQ(d.ask().manner.writer.hides_profile, step <= depth) << step;
      d.works(1 + step);
    }
  }
}

TEST(Staged, AChainBeginsInADialectForChainsAlsoWhereExpertsHaveFasterKernels) {
  StrategyOptions options = chain(10);
  options.start_asks = 2;
  options.target = Target::Cuda;
  for (const bool plain_begins : {false, true}) {
    Dialogue d("staged", options,
               {{"plain", {}, {}, true, plain_begins}, {"cute", {}, {}, true, true}});
    d.ask(), d.works(3);
    d.ask(), d.works(2);
    const Ask step = d.ask();
    EXPECT_EQ(step.manner.writer.prompt, "staged_step");
    EXPECT_EQ(step.parent, plain_begins ? 1 : 2);
  }
  options.start_asks = 1;
  Dialogue none("staged", options, {{"plain", {}, {}, true, false}});
  none.ask(), none.works(2);
  EXPECT_EQ(none.ask().manner.writer.prompt, "staged_first");
}

TEST(Staged, AFixIsADiagnosisAndAPatchThatKeepsTheKernel) {
  Dialogue d("staged", chain(10));
  d.ask(), d.works(1);
  d.ask(), d.fails(Outcome::WrongResult);
  const Ask fix = d.ask();
  EXPECT_EQ(fix.errand, Errand::Repair);
  EXPECT_EQ(fix.parent, 2);
  ASSERT_THAT(fix.manner.counsel, SizeIs(1));
  EXPECT_EQ(fix.manner.counsel[0].prompt, "staged_diagnose");
  EXPECT_EQ(fix.manner.writer.prompt, "staged_patch");
  EXPECT_TRUE(fix.manner.keeps_kernel);
  EXPECT_EQ(fix.manner.form, ReplyForm::Edits);
  d.fails(Outcome::CompileFailed);
  EXPECT_EQ(d.ask().parent, 2) << "what only compiled came farther than what does not";
  d.fails(Outcome::WrongResult);
  EXPECT_EQ(d.ask().parent, 4) << "as far as the other, and newer";
  d.works(2);
  EXPECT_EQ(d.ask().parent, 5);
}

TEST(Staged, ThreeTriesOfFiveFixesAndTheChainEnds) {
  Dialogue d("staged", chain(10));
  d.ask(), d.works(1);
  int steps = 0, fixes = 0;
  for (int i = 0; i < 3 * 6; ++i) {
    const Ask ask = d.ask();
    EXPECT_THAT(ask.why, testing::AnyOf(HasSubstr("step 1 "), HasSubstr("step 1:")));
    ask.errand == Errand::Repair ? ++fixes : ++steps;
    d.fails();
  }
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(fixes, 15);
  const Ask anew = d.ask();
  EXPECT_EQ(anew.errand, Errand::Write);
  EXPECT_THAT(anew.why, HasSubstr("chain 2"));
}

TEST(Staged, ThreeChainsOfTenStepsAreAllAndTheBestIsTuned) {
  Dialogue d("staged", chain(2));
  for (int c = 0; c < 3; ++c)
    for (int step = 0; step <= 2; ++step) {
      EXPECT_FALSE(d.strategy().finished());
      d.ask();
      if (c == 1 && step == 1) d.set_space(KnobSpace({{"A", {1, 2, 3}}}));
      d.works(c == 1 && step == 1 ? 9 : 1);
      d.set_space({});
    }
  for (int i = 0; i < 2; ++i) {
    const Ask tune = d.ask();
    EXPECT_EQ(tune.role, Role::Tune);
    EXPECT_EQ(tune.parent, 5);
    d.works(1);
  }
  EXPECT_TRUE(d.strategy().finished());
  EXPECT_THAT(d.strategy().describe(), HasSubstr("3 chains ended"));
}

TEST(CoderJudge, PaperAlternatesByOutcomeAndAlwaysTakesTheLatest) {
  Dialogue d("coder-judge", preset("paper"));
  EXPECT_THAT(d.ask().manner.counsel, IsEmpty()) << "the seed";
  d.fails(Outcome::CompileFailed);
  const Ask fix = d.ask();
  EXPECT_EQ(fix.errand, Errand::Repair);
  EXPECT_EQ(fix.manner.counsel.at(0).prompt, "judge_fix");
  EXPECT_EQ(fix.manner.counsel.at(0).role, "judge");
  EXPECT_EQ(fix.manner.writer.prompt, "forge_fix");
  d.works(3);
  const Ask faster = d.ask();
  EXPECT_EQ(faster.parent, 2);
  EXPECT_EQ(faster.manner.counsel.at(0).prompt, "judge_speed");
  EXPECT_EQ(faster.manner.counsel.at(0).about, 0) << "the profile is of the kernel that is shown";
  d.works(1);
  EXPECT_EQ(d.ask().parent, 3) << "slower, and current all the same";
  d.fails();
  EXPECT_EQ(d.ask().parent, 4) << "broken, and current all the same";
}

TEST(CoderJudge, PaperShowsTheCoderTheLatestKernelAndFeedbackOnly) {
  Dialogue d("coder-judge", preset("paper"));
  d.ask(), d.works(1);
  const View coder = d.ask().manner.writer;
  EXPECT_TRUE(coder.is_bounded);
  EXPECT_THAT(coder.lines, IsEmpty());
  EXPECT_THAT(coder.sources, IsEmpty());
  EXPECT_TRUE(coder.hides_profile) << "the judge alone sees it";
}

TEST(CoderJudge, SketchGeneratesFromTheBestByTheLatestInstructions) {
  for (const char* name : {"sketch", ""}) {
    Dialogue d("coder-judge", preset(name));
    d.ask(), d.works(3);
    EXPECT_EQ(d.ask().parent, 1);
    d.works(1);
    const Ask third = d.ask();
    EXPECT_EQ(third.parent, 1) << "the best, not the latest";
    EXPECT_EQ(third.manner.counsel.at(0).about, 2) << "the judge reads the latest";
    EXPECT_EQ(third.manner.counsel.at(0).prompt, "judge_gap");
    d.fails(Outcome::CompileFailed);
    const Ask fourth = d.ask();
    EXPECT_EQ(fourth.manner.counsel.at(0).role, "rules") << "the error is the instruction";
    EXPECT_EQ(fourth.manner.counsel.at(0).about, 3);
    EXPECT_EQ(fourth.parent, 1);
  }
}

TEST(CoderJudge, SketchMendsTheLatestWhileNothingIsCorrect) {
  Dialogue d("coder-judge", preset("sketch"));
  d.ask(), d.fails();
  const Ask ask = d.ask();
  EXPECT_EQ(ask.errand, Errand::Repair);
  EXPECT_EQ(ask.parent, 1);
  EXPECT_EQ(ask.manner.counsel.at(0).role, "judge") << "it compiled: the judge reads the test";
}

TEST(CoderJudge, RulesJudgeWhereAskedTo) {
  StrategyOptions options = preset("paper");
  options.judges_by_rules = true;
  Dialogue d("coder-judge", options);
  d.ask(), d.works(1);
  EXPECT_EQ(d.ask().manner.counsel.at(0).role, "rules");
}

TEST(CoderJudge, TheLearnedJudgeSpeaksWhereAskedTo) {
  StrategyOptions options = preset("paper");
  options.judges_learned = true;
  Dialogue d("coder-judge", options);
  d.ask(), d.works(1);
  EXPECT_EQ(d.ask().manner.counsel.at(0).role, "learned");
}

TEST(CoderJudge, EndsAfterItsRounds) {
  for (const char* name : {"sketch", "paper"}) {
    Dialogue d("coder-judge", preset(name, 4));
    for (int i = 0; i < 4; ++i) {
      EXPECT_FALSE(d.strategy().finished());
      d.ask(), d.works(1);
    }
    EXPECT_TRUE(d.strategy().finished());
    EXPECT_FALSE(d.strategy().ask());
  }
}

TEST(RewardRefine, RefinesThePreviousWhateverCameOfIt) {
  Dialogue d("reward-refine", chain(10));
  EXPECT_EQ(d.ask().errand, Errand::Write);
  d.fails(Outcome::CompileFailed);
  const Ask mend = d.ask();
  EXPECT_EQ(mend.errand, Errand::Repair);
  EXPECT_EQ(mend.manner.writer.prompt, "refine_previous");
  EXPECT_THAT(mend.why, HasSubstr("reward -10"));
  d.fails(Outcome::WrongResult);
  EXPECT_THAT(d.ask().why, HasSubstr("reward -5"));
  d.works(4);
  const Ask improve = d.ask();
  EXPECT_EQ(improve.parent, 3);
  EXPECT_THAT(improve.why, HasSubstr("reward 40")) << "10 over a quarter of a millisecond";
  d.works(1);
  EXPECT_EQ(d.ask().parent, 4) << "the previous, not the best";
}

TEST(RewardRefine, LearnsWhichTechniquePays) {
  StrategyOptions options = chain(200);
  options.techniques = {{"bad", "b", "memory"}, {"worse", "w", "memory"}, {"good", "g", "compute"}};
  Dialogue d("reward-refine", options);
  d.ask(), d.works(1);
  int late = 0;
  for (int i = 0; i < 60; ++i) {
    const Ask ask = d.ask();
    if (i >= 30) late += ask.manner.technique == "good";
    d.works(ask.manner.technique == "good" ? 5 : 1);
  }
  EXPECT_GT(late, 20);
}

TEST(RewardRefine, NamesWhatPaysOnAKernelOfThisProfile) {
  StrategyOptions options = chain(400);
  options.techniques = {{"wide", "w", "memory"}, {"fused", "f", "compute"}};
  Dialogue d("reward-refine", options);
  const auto bound = [](const char* resource) {
    Traits traits;
    traits.used = {{resource, 0.9}};
    return traits;
  };
  std::string at = "memory";
  d.ask(), d.works(1, bound("memory"));
  int right = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string named = d.ask().manner.technique;
    const bool pays = named == (at == "memory" ? "wide" : "fused");
    if (i >= 200) right += pays;
    at = i % 2 == 0 ? "compute" : "memory";
    d.works(pays ? 4 : 0.5, bound(at.c_str()));
  }
  EXPECT_GT(right, 80) << "of a hundred, a fifth of which are drawn by lot";
}

// A run may also end by its rule on goals, which RolesRun.RewardRefineReturnsAtTheGoal tests.
TEST(RewardRefine, EndsAfterItsLastAttemptWithTheBestOrWithNothing) {
  Dialogue works("reward-refine", chain(2));
  for (int i = 0; i < 2; ++i) works.ask(), works.works(2);
  EXPECT_TRUE(works.strategy().finished());
  EXPECT_THAT(works.strategy().describe(), HasSubstr("the best takes 0.5 ms"));
  Dialogue fails("reward-refine", chain(2));
  for (int i = 0; i < 2; ++i) fails.ask(), fails.fails();
  EXPECT_TRUE(fails.strategy().finished());
  EXPECT_THAT(fails.strategy().describe(), HasSubstr("none of them works"));
}

TEST(RewardModel, LearnsALinearReward) {
  RewardModel model(3);
  Rng rng(Seed::from_number(1));
  for (int i = 0; i < 300; ++i) {
    const double a = rng.uniform(-1, 1), b = rng.uniform(-1, 1);
    model.update({1, a, b}, 2 + 3 * a - b);
  }
  EXPECT_NEAR(model.predict({1, 0.5, 0.5}), 3, 0.05);
  EXPECT_LT(model.mean_error(), 0.3);
  EXPECT_EQ(model.updates(), 300u);
  EXPECT_LT(model.mean_error(), 0.5 * model.plain_error());
  EXPECT_NEAR(model.slope(), 1, 0.2) << "what it expects comes";
  RewardModel blind(1);
  for (int i = 0; i < 3; ++i) blind.update({1}, i);
  EXPECT_NE(blind.slope(), 1);
  EXPECT_EQ(RewardModel(1).slope(), 0);
}

TEST(Agent, PlansWritesAndHasItReviewed) {
  Dialogue d("agent");
  const Ask first = d.ask();
  EXPECT_EQ(first.errand, Errand::Write);
  EXPECT_EQ(first.manner.counsel.at(0).role, "planner");
  EXPECT_EQ(first.manner.writer.role, "coder");
  EXPECT_EQ(first.manner.review.at(0).role, "critic");
  d.works(2);
  const Ask next = d.ask();
  EXPECT_EQ(next.errand, Errand::Improve);
  EXPECT_EQ(next.parent, 1);
  EXPECT_THAT(next.why, HasSubstr("plan 2"));
}

TEST(Agent, AnswersTheCriticTwiceThenTheRefereeDecides) {
  Dialogue d("agent");
  d.ask(), d.fails(Outcome::Rejected);
  const Ask second = d.ask();
  EXPECT_EQ(second.errand, Errand::Repair);
  EXPECT_EQ(second.parent, 1);
  EXPECT_THAT(second.manner.counsel, IsEmpty()) << "the plan stands";
  EXPECT_THAT(second.manner.review, SizeIs(1));
  d.fails(Outcome::Rejected);
  const Ask third = d.ask();
  EXPECT_THAT(third.manner.review, IsEmpty());
  EXPECT_THAT(third.why, HasSubstr("the referee decides"));
}

TEST(Agent, PlansAnewAfterThreeRepairs) {
  Dialogue d("agent");
  d.ask(), d.works(2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(d.ask().errand, i == 0 ? Errand::Improve : Errand::Repair);
    d.fails();
  }
  const Ask anew = d.ask();
  EXPECT_EQ(anew.errand, Errand::Improve);
  EXPECT_EQ(anew.parent, 1);
}

TEST(Agent, HowOftenItMendsIsAPersonsToSay) {
  StrategyOptions options;
  options.repairs = 1;
  Dialogue d("agent", options);
  d.ask(), d.works(2);
  d.ask(), d.fails();
  EXPECT_EQ(d.ask().errand, Errand::Repair);
  d.fails();
  EXPECT_EQ(d.ask().errand, Errand::Improve);
}

TEST(Agent, RemembersTheLatestAndTheBest) {
  Dialogue d("agent");
  d.ask(), d.works(9);
  for (int i = 0; i < 20; ++i) d.ask(), d.works(1);
  const View planner = d.ask().manner.counsel.at(0);
  EXPECT_TRUE(planner.is_bounded);
  EXPECT_THAT(planner.lines, SizeIs(9));
  EXPECT_EQ(planner.lines.front(), 1) << "the best is not forgotten";
  EXPECT_EQ(planner.lines.back(), 21);
}

TEST(Agent, AsksForANewDesignWhenNothingHelps) {
  Dialogue d("agent");
  d.ask(), d.works(9);
  int anew = 0;
  for (int i = 0; i < 10; ++i) {
    anew += d.ask().manner.form == ReplyForm::Whole;
    d.works(1);
  }
  EXPECT_EQ(anew, 2);
}

}  // namespace
}  // namespace kw::search
