// Classes, chained speedups and words of attempts.
// SPDX-License-Identifier: Apache-2.0
#include "engine/standing.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/run.h"
#include "record/codec.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Speedup speedup(double low, double value, double high) {
  return {value, low, high, 0.995, "opponent", 0, low > 1.005};
}

Attempt measured(const Speedup& s) {
  Attempt a;
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  a.evaluation.speedup = s;
  WorkloadResult w;
  w.group = Group::Time;
  w.median_ns = 1000;
  a.evaluation.workloads = {w};
  return a;
}

class StandingTest : public testing::Test {
 protected:
  static Candidate baseline() {
    Candidate c;
    c.name = "reference";
    return c;
  }
  Attempt absorb(Attempt attempt, const Incumbent& opponent,
                 search::Role role = search::Role::Idea) {
    search::Ask ask;
    ask.role = role;
    ask.id = attempt.number = ++number_;
    tell_ = standing_.absorb(attempt, ask, opponent);
    return attempt;
  }

  Standing standing_{baseline(), **search::find_reward_policy("speedup")};
  search::Tell tell_;
  int number_ = 0;
};

TEST(AtPath, NamesTheFileThatAPersonKnows) {
  const auto named = [](const char* text) { return at_path(text, "k2", "dir/k2.cpp"); };
  EXPECT_EQ(named("candidate.cpp:2:43"), "dir/k2.cpp:2:43");
  EXPECT_EQ(named("candidate.cpp"), "dir/k2.cpp");
  EXPECT_EQ(named("k2.cpp:1:56"), "dir/k2.cpp:1:56");
  EXPECT_EQ(named("k2:1:8"), "dir/k2.cpp:1:8");
  for (const char* other : {"iface.h:3:1", "k2", "k2: two", "k20:1:8", "", "a candidate.cpp:1"})
    EXPECT_EQ(named(other), other);
  BaselineStanding bad;
  bad.candidate.name = "bad";
  const auto failed_at = [](const char* place, const char* detail) {
    return make_verdict(Stage::Compile, Outcome::CompileFailed,
                        {.kind = EvidenceKind::NotCompiled, .place = place, .detail = detail});
  };
  bad.evaluation.verdict = failed_at("candidate.cpp:1:12", "no");
  const Verdict moved = failed_at("baselines/bad.cpp:1:12", "no");
  EXPECT_EQ(failure_words(bad), failure_words(moved));
  bad.evaluation.verdict = failed_at("", "candidate.cpp:1:12 is foreign text");
  EXPECT_EQ(failure_words(bad), failure_words(bad.evaluation.verdict));
}

TEST(Chain, MultipliesValuesAndWidensInQuadrature) {
  const Speedup product = chain(speedup(1.8, 2, 2.2), speedup(1.4, 1.5, 1.6));
  EXPECT_DOUBLE_EQ(product.value, 3);
  const double below = std::hypot(std::log(2 / 1.8), std::log(1.5 / 1.4));
  EXPECT_DOUBLE_EQ(product.low, 3 * std::exp(-below));
  EXPECT_GT(product.low, 1.8 * 1.4) << "narrower than the worst of both";
  EXPECT_LT(product.low, 3 * 1.8 / 2) << "wider than either";
  EXPECT_GT(product.high, 3);
}

TEST(Chain, OneIsNeutralAndZeroIsUnmeasured) {
  const Speedup one{1, 1, 1, 1, "base", 0, false};
  const Speedup s = speedup(1.4, 1.5, 1.6);
  EXPECT_DOUBLE_EQ(chain(one, s).low, s.low);
  EXPECT_DOUBLE_EQ(chain(one, s).high, s.high);
  EXPECT_EQ(chain(one, s).baseline, "base");
  EXPECT_EQ(chain(one, speedup(0, 0, 0)).high, 0);
}

TEST_F(StandingTest, StartsAtTheBaseline) {
  EXPECT_EQ(standing_.incumbent().attempt, 0);
  EXPECT_EQ(standing_.incumbent().candidate.name, "reference");
  EXPECT_EQ(standing_.best_attempt(), 0);
  EXPECT_EQ(standing_.best_speedup(), 0);
  EXPECT_THAT(standing_.contenders(), IsEmpty());
}

TEST_F(StandingTest, AFasterOneBecomesTheIncumbent) {
  const Attempt a = absorb(measured(speedup(1.9, 2, 2.1)), standing_.incumbent());
  EXPECT_EQ(a.outcome_class, OutcomeClass::NewBest);
  EXPECT_EQ(standing_.incumbent().attempt, 1);
  EXPECT_EQ(tell_.reward, a.reward);
  const Attempt b = absorb(measured(speedup(1.4, 1.5, 1.6)), standing_.incumbent());
  EXPECT_DOUBLE_EQ(b.against_baseline.value, 3);
  EXPECT_THAT(b.words, HasSubstr("new best: 3.000x the best baseline, 1.500x the previous best"));
  EXPECT_EQ(standing_.statistics().attempts_since_best, 0);
}

TEST_F(StandingTest, AnIncumbentThatFailsAsAnOpponentStaysTheBestAndIsMetNoMore) {
  absorb(measured(speedup(1.9, 2, 2.1)), standing_.incumbent());
  // An attempt that was timed against the baseline, because the incumbent went wrong as an
  // opponent.
  Attempt beside = measured(speedup(1.4, 1.5, 1.6));
  beside.evaluation.opponent_fault = "the opponent 'one': crashed";
  const Attempt a = absorb(beside, standing_.incumbent());
  EXPECT_DOUBLE_EQ(a.against_baseline.value, 1.5);
  EXPECT_EQ(a.outcome_class, OutcomeClass::NoGain) << "1.5 is less than the 2 of the incumbent";
  EXPECT_EQ(standing_.best_attempt(), 1);
  EXPECT_THAT(standing_.contenders(), ElementsAre(1, 2));
  EXPECT_EQ(standing_.opponent().attempt, 0);
  EXPECT_EQ(standing_.opponent().candidate.name, "reference");
  const Attempt b = absorb(measured(speedup(2.9, 3, 3.1)), standing_.opponent());
  EXPECT_EQ(b.outcome_class, OutcomeClass::NewBest);
  EXPECT_EQ(standing_.opponent().attempt, 3);
}

TEST_F(StandingTest, TheRewardIsThePolicysAndTheBestIsByTime) {
  Standing standing(baseline(), **search::find_reward_policy("roofline"));
  search::Ask ask;
  Attempt near = measured(speedup(1.1, 1.2, 1.3));
  near.evaluation.roofline_fraction = 0.5;
  near.number = ask.id = 1;
  EXPECT_EQ(standing.absorb(near, ask, standing.incumbent()).merit, 0.5);
  EXPECT_EQ(near.reward, 0.5);
  Attempt fast = measured(speedup(1.9, 2, 2.1));
  fast.evaluation.roofline_fraction = 0.25;
  fast.number = ask.id = 2;
  EXPECT_EQ(standing.absorb(fast, ask, standing.incumbent()).merit, 0.25);
  EXPECT_EQ(fast.outcome_class, OutcomeClass::NewBest);
  EXPECT_EQ(standing.best_attempt(), 2);
}

TEST_F(StandingTest, NotShownFasterIsNoGainButRemembered) {
  const Attempt a = absorb(measured(speedup(0.99, 1.01, 1.03)), standing_.incumbent());
  EXPECT_EQ(a.outcome_class, OutcomeClass::NoGain);
  EXPECT_EQ(standing_.incumbent().attempt, 0);
  EXPECT_EQ(standing_.best_attempt(), 1);
  EXPECT_DOUBLE_EQ(standing_.best_speedup(), 1.01);
  EXPECT_EQ(standing_.statistics().attempts_since_best, 1);
}

TEST_F(StandingTest, ARequestThatNobodyAnsweredTriesNoPatience) {
  Attempt unanswered;
  unanswered.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "HTTP 400",
                                   Reason::NoAnswer};
  absorb(unanswered, standing_.incumbent());
  EXPECT_TRUE(tell_.is_unanswered);
  EXPECT_EQ(standing_.statistics().attempts, 1);
  EXPECT_EQ(standing_.statistics().attempts_since_best, 0);
  unanswered.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "no code block"};
  absorb(unanswered, standing_.incumbent());
  EXPECT_FALSE(tell_.is_unanswered);
  EXPECT_EQ(standing_.statistics().attempts_since_best, 1);
}

TEST_F(StandingTest, WhatWasWrittenWithoutAnythingNewIsFruitless) {
  const auto fruitless = [&](Attempt attempt, search::Role role = search::Role::Write) {
    absorb(std::move(attempt), standing_.incumbent(), role);
    return standing_.statistics().fruitless;
  };
  Attempt repeated = measured(speedup(1.9, 2, 2.1)), none, unanswered;
  repeated.recalled = 1;
  none.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "no code block"};
  unanswered.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "HTTP 400",
                                   Reason::NoAnswer};
  EXPECT_EQ(fruitless(repeated), 1);
  EXPECT_EQ(fruitless(none), 2);
  EXPECT_EQ(fruitless(unanswered), 2) << "nobody wrote";
  EXPECT_EQ(fruitless(repeated, search::Role::Tune), 2) << "knobs that change nothing";
  EXPECT_EQ(fruitless(measured(speedup(0.4, 0.5, 0.6))), 0) << "judged, however slow";
}

TEST_F(StandingTest, AStalePairMustBeatTheIncumbentOnTheCommonScale) {
  const Incumbent at_first = standing_.incumbent();
  absorb(measured(speedup(2.9, 3, 3.1)), at_first);
  // Both attempts were asked for against the baseline; the second is faster than the baseline, but
  // not than the first.
  const auto against = [&](const std::string& opponent, const Incumbent& incumbent) {
    Attempt attempt = measured(speedup(0.5, 0.6, 0.7));
    attempt.evaluation.speedup.baseline = opponent;
    return absorb(attempt, incumbent).words;
  };
  EXPECT_EQ(absorb(measured(speedup(1.9, 2, 2.1)), at_first).outcome_class, OutcomeClass::NoGain);
  EXPECT_EQ(standing_.incumbent().attempt, 1);
  EXPECT_EQ(absorb(measured(speedup(3.9, 4, 4.1)), at_first).outcome_class, OutcomeClass::NewBest);
  EXPECT_EQ(standing_.incumbent().attempt, 3);
  EXPECT_THAT(against("reference", at_first), HasSubstr("0.600x the best baseline"));
  EXPECT_THAT(against("001_first", standing_.incumbent()), HasSubstr("0.600x the best so far"));
}

TEST_F(StandingTest, FailuresChangeNothingButTheCount) {
  Attempt broken = measured(speedup(5, 6, 7));
  broken.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9 elements"};
  const Attempt a = absorb(broken, standing_.incumbent());
  EXPECT_EQ(a.outcome_class, OutcomeClass::Failed);
  EXPECT_EQ(a.against_baseline.value, 0) << "a time of a wrong result counts for nothing";
  EXPECT_EQ(a.words, "failed at check: wrong_result (3 of 9 elements)");
  EXPECT_EQ(standing_.best_attempt(), 0);
  EXPECT_EQ(standing_.statistics().attempts, 1);
}

TEST_F(StandingTest, TheBestContendsFirstThenTheSurest) {
  const Incumbent baseline = standing_.incumbent();
  absorb(measured(speedup(1.9, 2, 2.1)), baseline);     // attempt 1: new best
  absorb(measured(speedup(1.2, 1.5, 1.9)), baseline);   // attempt 2: unsure
  absorb(measured(speedup(1.4, 1.45, 1.5)), baseline);  // attempt 3: slower but surer
  absorb(measured(speedup(0.5, 0.6, 0.7)), baseline);   // attempt 4: slower than the baseline
  EXPECT_THAT(standing_.contenders(), ElementsAre(1, 3, 2));
  absorb(measured(speedup(1.8, 1.9, 2)), baseline);  // attempt 5
  EXPECT_THAT(standing_.contenders(), ElementsAre(1, 5, 3));
  // Attempt 6 seems 2.2 times as fast as the baseline, but is not shown to be faster.
  absorb(measured(speedup(0.9, 1.1, 1.2)), standing_.incumbent());
  EXPECT_EQ(standing_.best_attempt(), 1);
  EXPECT_EQ(standing_.contenders().front(), 1);
  EXPECT_EQ(standing_.contenders().size(), kConfirmationTries);
}

TEST(MeanTime, IsGeometricOverTimedWorkloads) {
  Attempt a = measured({});
  WorkloadResult slow;
  slow.group = Group::Time;
  slow.median_ns = 4000;
  a.evaluation.workloads.push_back(slow);
  slow.group = Group::Check;
  slow.median_ns = 1e9;
  a.evaluation.workloads.push_back(slow);
  EXPECT_NEAR(a.evaluation.mean_time_ns(), 2000, 1e-6);
  EXPECT_EQ(Evaluation().mean_time_ns(), 0);
}

TEST_F(StandingTest, RewardsAreComputedAgainFromWhatIsStoredByAnyPolicy) {
  Attempt broken;
  broken.evaluation.verdict = {Stage::Compile, Outcome::CompileFailed, ""};
  Attempt slow = measured(speedup(0.7, 0.75, 0.8)), fast = measured(speedup(1.8, 2, 2.2));
  slow.evaluation.roofline_fraction = 0.1, fast.evaluation.roofline_fraction = 0.4;
  for (const search::RewardPolicy& policy : search::reward_policies()) {
    SCOPED_TRACE(policy.name);
    Standing standing(baseline(), policy);
    int number = 0;
    for (Attempt attempt : {broken, slow, fast, measured(speedup(0.9, 1.1, 1.3))}) {
      search::Ask ask;
      ask.id = attempt.number = ++number;
      const search::Tell tell = standing.absorb(attempt, ask, standing.incumbent());
      EXPECT_EQ(tell.reward, attempt.reward);
      const auto stored = decode<Attempt>(encode(attempt));
      ASSERT_TRUE(stored);
      EXPECT_EQ(reward_of(*stored, policy), attempt.reward) << "attempt " << number;
    }
  }
}

}  // namespace
}  // namespace kw::engine
