// Tests of how a measurement ends: budgets, hopeless cases, allotment, warm-up.
// SPDX-License-Identifier: Apache-2.0
#include "measure/sampling_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "measure/noise_for_test.h"
#include "measure/warm_up.h"

namespace kw::measure {
namespace {

using testing::HasSubstr;

// Runs a plan on a machine where the candidate is `speedup` times faster.
PairPlan run(const Limits& limits, double base_ns, double speedup,
             const Machine& machine = kMachines[0], std::size_t workloads = 1) {
  PairPlan plan(limits, Seed::from_number(5), workloads);
  Noise noise(machine, Seed::from_number(6));
  while (plan.wants_more()) {
    plan.add(noise.pair(base_ns, speedup, plan.next().candidate_first));
    if (plan.wants_noise_floor()) plan.give_noise_floor(0);
  }
  return plan;
}

TEST(PairPlan, ClearCasesAreCheap) {
  const PairPlan faster = run({}, 100e6, 2);
  EXPECT_EQ(faster.decision(), Decision::Faster);
  EXPECT_LE(faster.samples(0).size(), 12U);
  EXPECT_THAT(faster.ending(), HasSubstr("the speedup is certainly above 1.005"));
  const PairPlan slower = run({}, 100e6, 0.9);
  EXPECT_EQ(slower.decision(), Decision::NotFaster);
  EXPECT_LE(slower.samples(0).size(), 12U);
}

TEST(PairPlan, ACertificateSaysHowMuchSlowerTheHopelessAre) {
  Limits limits;
  limits.stop_when_decided = false;
  const PairPlan plan = run(limits, 100e6, 0.5);
  EXPECT_GT(plan.samples(0).size(), 3U);
  EXPECT_EQ(plan.decision(), Decision::NotFaster);
  EXPECT_GE(plan.estimate().confidence, 0.995);
}

TEST(PairPlan, TheHopelessCostThreePairs) {
  const PairPlan plan = run({}, 100e6, 0.5);
  EXPECT_EQ(plan.samples(0).size(), 3U);
  EXPECT_EQ(plan.decision(), Decision::NotFaster);
  EXPECT_LT(plan.estimate().confidence, 0.995);
  EXPECT_EQ(run({}, 100e6, 0.5, kMachines[0], 3).samples(2).size(), 3U);
}

TEST(PairPlan, LongCallsStillGetThePairsThatConfidenceNeeds) {
  Limits limits;
  limits.budget_ns = 1e9;
  const PairPlan plan = run(limits, 1e9, 1.3);
  EXPECT_EQ(plan.samples(0).size(), 9U);
  EXPECT_EQ(plan.decision(), Decision::Faster);
  EXPECT_GE(plan.estimate().confidence, 0.995);
}

TEST(PairPlan, TheHardBudgetEndsInUnmeasurable) {
  Limits limits;
  limits.hard_budget_ns = 5e9;
  const PairPlan plan = run(limits, 1e9, 1.3);
  EXPECT_EQ(plan.decision(), Decision::Unmeasurable);
  EXPECT_THAT(plan.ending(), HasSubstr("too few pairs"));
  EXPECT_LT(plan.spent_ns(), 7e9);
}

TEST(PairPlan, WildNoiseIsUnmeasurable) {
  Machine wild = kMachines[0];
  wild.jitter = 1;
  Limits limits;
  limits.budget_ns = 300e6;
  EXPECT_EQ(run(limits, 5e6, 1, wild).decision(), Decision::Unmeasurable);
}

TEST(PairPlan, ACertificateGoesOnUntilItIsPrecise) {
  Limits limits;
  limits.stop_when_decided = false;
  limits.half_width = 0.002;
  limits.gain_share = 0;
  const PairPlan plan = run(limits, 5e6, 2);
  EXPECT_GT(plan.samples(0).size(), 12U);
  EXPECT_LE(std::log(plan.estimate().high / plan.estimate().low), 0.004);
  EXPECT_THAT(plan.ending(), HasSubstr("known to"));
}

TEST(PairPlan, ALargeGainNeedsNoFineFigure) {
  Limits limits;
  limits.stop_when_decided = false;
  limits.budget_ns = 60e9;
  limits.half_width = 0.001;
  const PairPlan large = run(limits, 5e6, 20);
  EXPECT_LE(std::log(large.estimate().high / large.estimate().low), 0.04 * std::log(20.2));
  EXPECT_LT(2 * large.samples(0).size(), run(limits, 5e6, 1.05).samples(0).size());
}

/// Runs a comparison and returns how often it asked for the noise floor; each time it gets `floor`.
int ask_for_floor(double speedup, double floor, PairPlan& plan) {
  Noise noise(kMachines[0], Seed::from_number(6));
  int asked = 0;
  while (plan.wants_more()) {
    plan.add(noise.pair(5e6, speedup, plan.next().candidate_first));
    if (!plan.wants_noise_floor()) continue;
    ++asked;
    plan.give_noise_floor(floor);
  }
  return asked;
}

TEST(PairPlan, AsksForTheNoiseFloorOnceAndOnlyWhereAWinDependsOnIt) {
  PairPlan slower({}, Seed::from_number(5));
  EXPECT_EQ(ask_for_floor(0.95, 0, slower), 0);
  EXPECT_EQ(slower.decision(), Decision::NotFaster);
  PairPlan faster({}, Seed::from_number(5));
  EXPECT_EQ(ask_for_floor(1.5, 0.01, faster), 1);
  EXPECT_EQ(faster.decision(), Decision::Faster);
  Limits known;
  known.noise_floor = 0.01;
  PairPlan told(known, Seed::from_number(5));
  EXPECT_EQ(ask_for_floor(1.5, 0, told), 0);
  EXPECT_EQ(told.decision(), Decision::Faster);
}

TEST(PairPlan, AWinBelowTheNoiseFloorIsNone) {
  PairPlan plan({}, Seed::from_number(5));
  EXPECT_EQ(ask_for_floor(1.05, 0.2, plan), 1);
  EXPECT_GT(plan.estimate().low, 1.005);
  EXPECT_EQ(plan.decision(), Decision::NotFaster);
}

TEST(PairPlan, AnInterruptStillAsksForTheFloorThatItsAnswerNeeds) {
  Limits limits;
  limits.stop_when_decided = false;
  limits.half_width = 0;
  limits.gain_share = 0;
  for (const double floor : {0.01, 0.9}) {
    PairPlan plan(limits, Seed::from_number(5));
    Noise noise(kMachines[0], Seed::from_number(6));
    while (plan.samples(0).size() < 60) plan.add(noise.pair(5e6, 1.5, plan.next().candidate_first));
    plan.cut_short("interrupt");
    ASSERT_TRUE(plan.wants_noise_floor());
    EXPECT_TRUE(plan.wants_more());
    plan.give_noise_floor(floor);
    EXPECT_FALSE(plan.wants_more());
    EXPECT_EQ(plan.decision(), floor < 0.5 ? Decision::Faster : Decision::NotFaster);
  }
}

TEST(PairPlan, AnInterruptEndsWithWhatThereIs) {
  PairPlan plan({}, Seed::from_number(1));
  plan.cut_short("interrupt");
  EXPECT_FALSE(plan.wants_more());
  EXPECT_EQ(plan.decision(), Decision::Unmeasurable);
  EXPECT_EQ(plan.ending(), "interrupt");
}

TEST(PairPlan, ARoughFigureIsCheapAndNeverAWin) {
  const PairPlan full = run({}, 100e6, 1.2, kMachines[1]);
  const PairPlan rough = run(at_fidelity({}, 1.0 / 9), 100e6, 1.2, kMachines[1]);
  EXPECT_LT(rough.samples(0).size(), full.samples(0).size());
  EXPECT_EQ(rough.decision(), Decision::Unmeasurable);
  EXPECT_NEAR(rough.estimate().speedup, 1.2, 0.1);
}

TEST(PairPlan, StaysWithinItsBudget) {
  for (const Machine& machine : kMachines) {
    Limits limits;
    limits.half_width = 1e-9;
    limits.gain_share = 0;
    limits.stop_when_decided = false;
    limits.budget_ns = 2e9;
    const PairPlan plan = run(limits, 5e6, 1, machine, 2);
    EXPECT_LE(plan.spent_ns(), 1.3 * limits.budget_ns) << machine.name;
    EXPECT_GE(plan.spent_ns(), 0.6 * limits.budget_ns) << machine.name;
  }
}

TEST(PairPlan, CallsThatGrowSlowerDoNotEndItEarlyNorLate) {
  Limits limits;
  limits.half_width = 1e-9;
  limits.gain_share = 0;
  limits.stop_when_decided = false;
  PairPlan plan(limits, Seed::from_number(5));
  Noise noise(kMachines[0], Seed::from_number(6));
  while (plan.wants_more()) {
    const double base_ns = plan.samples(0).size() < 3 ? 2e6 : 10e6;
    plan.add(noise.pair(base_ns, 1, plan.next().candidate_first));
  }
  EXPECT_GE(plan.spent_ns(), 0.9 * limits.budget_ns);
  EXPECT_LE(plan.spent_ns(), 1.1 * limits.budget_ns);
}

TEST(PairPlan, SameSeedAndSamplesGiveTheSameCourse) {
  const PairPlan a = run({}, 5e6, 1.01, kMachines[3]);
  const PairPlan b = run({}, 5e6, 1.01, kMachines[3]);
  EXPECT_EQ(a.estimate(), b.estimate());
  EXPECT_EQ(a.samples(0).size(), b.samples(0).size());
}

TEST(PairPlan, TheCoinIsFair) {
  PairPlan plan({}, Seed::from_number(9));
  int heads = 0;
  for (int i = 0; i < 10000; ++i) heads += plan.next().candidate_first;
  EXPECT_NEAR(heads, 5000, 200);
}

TEST(Allot, FollowsSpreadOverRootOfCost) {
  const std::vector<double> cost{1, 4};
  const std::vector<double> spread{1, 1};
  const auto counts = allot(600, cost, spread, 3);
  EXPECT_EQ(counts, (std::vector<std::size_t>{200, 100}));
  const std::vector<double> one_is_noisy{10, 1};
  EXPECT_GT(allot(600, cost, one_is_noisy, 3)[0], 5 * allot(600, cost, one_is_noisy, 3)[1]);
}

TEST(Allot, KeepsTheMinimumAndTheBudget) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(Seed::from_number(seed));
    std::vector<double> cost, spread;
    for (std::uint64_t i = 0; i <= seed % 5; ++i) {
      cost.push_back(rng.uniform(1, 100));
      spread.push_back(rng.below(4) == 0 ? 0 : rng.uniform());
    }
    const double least = 9 * std::accumulate(cost.begin(), cost.end(), 0.0);
    const double budget = rng.uniform(0.5, 20) * least;
    const auto counts = allot(budget, cost, spread, 9);
    double spent = 0;
    for (std::size_t i = 0; i < cost.size(); ++i) {
      EXPECT_GE(counts[i], 9U) << seed;
      spent += static_cast<double>(counts[i]) * cost[i];
    }
    EXPECT_LE(spent, std::max(budget, least) * 1.0000001) << seed;
  }
}

TEST(SoloPlan, EndsWhenTheMedianIsKnown) {
  SoloPlan plan{Limits{}};
  Noise noise(kMachines[0], Seed::from_number(1));
  while (plan.wants_more()) plan.add(5e6 * noise.leg());
  const SeriesEstimate e = plan.estimate();
  EXPECT_TRUE(e.settled);
  EXPECT_EQ(e.samples, 24U);
  EXPECT_NEAR(e.median_ns, 5e6, 0.02e6);
  EXPECT_LT(e.interval.low, e.median_ns);
  EXPECT_GT(e.interval.high, e.median_ns);
}

TEST(SoloPlan, EndsWithTheBudgetAfterThreeSamples) {
  SoloPlan plan{Limits{}};
  while (plan.wants_more()) plan.add(10e9);
  EXPECT_EQ(plan.samples().size(), 3U);
  EXPECT_FALSE(plan.estimate().settled);
  EXPECT_EQ(plan.estimate().median_ns, 10e9);
}

TEST(WarmUp, EndsWhenTheClockSettles) {
  WarmUp warm;
  double ns = 4e6;
  while (warm.wants_more()) {
    warm.add(ns);
    ns = std::max(2e6, ns * 0.97);  // the clock ramps up
  }
  EXPECT_TRUE(warm.settled());
  EXPECT_GT(warm.spent_ns(), 90e6) << "not while it was still ramping";
  EXPECT_LT(warm.spent_ns(), 300e6);
}

TEST(WarmUp, GivesUpOnAClockThatNeverSettles) {
  WarmUp warm;
  double ns = 1e6;
  while (warm.wants_more()) warm.add(ns *= 1.01);
  EXPECT_FALSE(warm.settled());
  EXPECT_GE(warm.spent_ns(), 1e9);
}

TEST(WarmUp, LongCallsSettleAfterTwoThatAgree) {
  WarmUp warm;
  while (warm.wants_more()) warm.add(400e6);
  EXPECT_EQ(warm.calls(), 2U);
  EXPECT_TRUE(warm.settled());
}

TEST(PairPlan, ExactPairsAreNeitherMoreNorFewer) {
  for (const double ratio : {0.5, 1.0, 3.0}) {
    Limits limits;
    limits.exact_pairs = 100;
    limits.noise_floor = 0;
    PairPlan plan(limits, Seed::from_number(1), 2);
    std::size_t pairs[2] = {0, 0};
    while (plan.wants_more()) {
      ++pairs[plan.next().workload];
      plan.add({1e6, ratio * 1e6});
    }
    EXPECT_EQ(pairs[0], 100u);
    EXPECT_EQ(pairs[1], 100u);
    EXPECT_EQ(plan.decision(), ratio > 1 ? Decision::Faster : Decision::NotFaster);
    EXPECT_EQ(plan.estimate(1).confidence, limits.confidence);
  }
}

TEST(PairPlan, ExactPairsStillAskForTheNoiseFloor) {
  Limits limits;
  limits.exact_pairs = 20;
  PairPlan plan(limits, Seed::from_number(1));
  for (int i = 0; i < 20; ++i) plan.add({1e6, 1.02e6});
  ASSERT_TRUE(plan.wants_noise_floor());
  plan.give_noise_floor(0.03);
  EXPECT_FALSE(plan.wants_more());
  EXPECT_EQ(plan.decision(), Decision::NotFaster);
}

TEST(PairPlan, SaysThatAnExactNumberOfPairsIsTimed) {
  Limits limits;
  limits.noise_floor = 0;
  limits.exact_pairs = 2;
  PairPlan few(limits, Seed::from_number(1));
  while (few.wants_more()) few.add({1e6, 1.02e6});
  EXPECT_EQ(few.ending(), "all pairs are timed, and they are too few for an interval");
  limits.exact_pairs = 40;
  PairPlan many(limits, Seed::from_number(1));
  for (int i = 0; many.wants_more(); ++i) many.add({1e6, (i % 2 == 0 ? 0.8 : 1.3) * 1e6});
  EXPECT_THAT(many.ending(), testing::StartsWith("all pairs are timed, the speedup is known to ±"));
}

TEST(SoloPlan, ExactNumber) {
  Limits limits;
  limits.exact_pairs = 50;
  limits.budget_ns = 1;
  SoloPlan plan(limits);
  while (plan.wants_more()) plan.add(1e6);
  EXPECT_EQ(plan.samples().size(), 50u);
}

}  // namespace
}  // namespace kw::measure
