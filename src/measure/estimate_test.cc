// Tests of speedups, their combination, decisions and the noise floor: exact cases and properties.
// SPDX-License-Identifier: Apache-2.0
#include "measure/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/noise_for_test.h"

namespace kw::measure {
namespace {

std::vector<PairedSample> noisy_pairs(std::uint64_t seed, std::size_t count, double speedup = 1.1) {
  Noise noise(kMachines[seed % std::size(kMachines)], Seed::from_number(seed));
  Rng coin(Seed::from_number(~seed));
  std::vector<PairedSample> pairs;
  for (std::size_t i = 0; i < count; ++i)
    pairs.push_back(noise.pair(1e6, speedup, coin() >> 63 != 0));
  return pairs;
}

Estimate exactly(double speedup, double low, double high, std::size_t pairs = 100) {
  return {speedup, low, high, 0.995, pairs};
}

TEST(EstimateSpeedup, OfNothingKnowsNothing) {
  const Estimate e = estimate_speedup({}, 0.005);
  EXPECT_EQ(e.confidence, 0);
  EXPECT_EQ(e.low, 0);
  EXPECT_TRUE(std::isinf(e.high));
}

TEST(EstimateSpeedup, SaysWithWhatConfidenceAFewPairsSpeak) {
  const std::vector<PairedSample> pairs{{100, 200}, {100, 150}, {100, 300}};
  const Estimate e = estimate_speedup(pairs, 0.005);
  EXPECT_DOUBLE_EQ(e.speedup, 2);
  EXPECT_DOUBLE_EQ(e.low, 1.5);
  EXPECT_DOUBLE_EQ(e.high, 3);
  EXPECT_DOUBLE_EQ(e.confidence, 0.75);
}

TEST(EstimateSpeedup, Properties) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto pairs = noisy_pairs(seed, 5 + seed * 3);
    const Estimate e = estimate_speedup(pairs, 0.005);
    EXPECT_LE(e.low, e.speedup);
    EXPECT_LE(e.speedup, e.high);

    auto shuffled = pairs;
    Rng(Seed::from_number(seed)).shuffle(std::span(shuffled));
    EXPECT_EQ(estimate_speedup(shuffled, 0.005), e) << "the order of pairs does not matter";

    auto scaled = pairs;
    for (auto& p : scaled) p = {p.candidate_ns * 1024, p.opponent_ns * 1024};
    const Estimate s = estimate_speedup(scaled, 0.005);
    EXPECT_NEAR(s.low / e.low, 1, 1e-12) << "nor does the unit of time";
    EXPECT_NEAR(s.high / e.high, 1, 1e-12);

    auto swapped = pairs;
    for (auto& p : swapped) p = {p.opponent_ns, p.candidate_ns};
    const Estimate r = estimate_speedup(swapped, 0.005);
    EXPECT_NEAR(r.speedup * e.speedup, 1, 1e-9) << "swapped legs give the reciprocal";
    EXPECT_NEAR(r.low * e.high, 1, 1e-9);

    auto better = pairs;
    better[seed % better.size()].candidate_ns *= 0.5;
    const Estimate b = estimate_speedup(better, 0.005);
    EXPECT_GE(b.speedup, e.speedup) << "a faster call never lowers anything";
    EXPECT_GE(b.low, e.low);
    EXPECT_GE(b.high, e.high);
  }
}

TEST(Combine, IsTheGeometricMean) {
  const std::vector<Estimate> two{exactly(2, 2, 2), exactly(8, 8, 8, 50)};
  const Estimate e = *combine(two);
  EXPECT_NEAR(e.speedup, 4, 1e-12);
  EXPECT_NEAR(e.low, 4, 1e-12);
  EXPECT_NEAR(e.high, 4, 1e-12);
  EXPECT_EQ(e.pairs, 50U);
}

TEST(Combine, OfOneIsThatOne) {
  const std::vector<Estimate> one{exactly(1.3, 1.2, 1.5)};
  const Estimate e = *combine(one);
  EXPECT_NEAR(e.low, 1.2, 1e-12);
  EXPECT_NEAR(e.high, 1.5, 1e-12);
  EXPECT_FALSE(combine({}).has_value());
}

TEST(Combine, EqualWorkloadsNarrowByTheRootOfTheirNumber) {
  const std::vector<Estimate> four(4, exactly(1, std::exp(-0.02), std::exp(0.02)));
  EXPECT_NEAR(std::log(combine(four)->high), 0.01, 1e-12);
  EXPECT_NEAR(std::log(combine(four)->low), -0.01, 1e-12);
}

TEST(Combine, AWorkloadWithoutAnIntervalLeavesNone) {
  const std::vector<Estimate> two{exactly(2, 1.9, 2.1), Estimate{}};
  const Estimate e = *combine(two);
  EXPECT_EQ(e.low, 0);
  EXPECT_TRUE(std::isinf(e.high));
  EXPECT_EQ(e.confidence, 0);
}

TEST(Decide, NeedsTheLowerEndAboveTheLine) {
  const auto decided = [](double low, double high, double floor) {
    return decide(exactly(std::sqrt(low * high), low, high), floor, 0.995, 0.05);
  };
  EXPECT_EQ(decided(1.006, 1.02, 0), Decision::Faster);
  EXPECT_EQ(decided(1.004, 1.02, 0), Decision::NotFaster) << "0.5 % is the least gain";
  EXPECT_EQ(decided(1.006, 1.02, 0.01), Decision::NotFaster) << "the noise floor raises the line";
  EXPECT_EQ(decided(0.90, 0.95, 0), Decision::NotFaster);
  EXPECT_EQ(decided(0.80, 1.30, 0), Decision::Unmeasurable);
}

TEST(Decide, WithoutConfidenceOnlyTheHopelessAreDecided) {
  Estimate few = exactly(3, 2.5, 4, 5);
  few.confidence = 0.9375;
  EXPECT_EQ(decide(few, 0, 0.995, 0.05), Decision::Unmeasurable);
  few = exactly(0.5, 0.4, 0.6, 3);
  few.confidence = 0.75;
  EXPECT_TRUE(is_hopeless(few));
  EXPECT_EQ(decide(few, 0, 0.995, 0.05), Decision::NotFaster);
  few.pairs = 2;
  EXPECT_EQ(decide(few, 0, 0.995, 0.05), Decision::Unmeasurable);
}

// Monotone: raising the floor or lowering the interval never turns another decision into Faster.
TEST(Decide, IsMonotone) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Estimate e = estimate_speedup(noisy_pairs(seed, 60, 1.02), 0.005);
    for (const double floor : {0.0, 0.01, 0.03}) {
      if (decide(e, floor, 0.995, 0.05) == Decision::Faster) continue;
      EXPECT_NE(decide(e, floor + 0.01, 0.995, 0.05), Decision::Faster) << seed;
    }
  }
}

std::vector<std::vector<PairedSample>> series_with_bias(double spread) {
  Machine machine = kMachines[1];
  machine.placement = spread;
  std::vector<std::vector<PairedSample>> series;
  for (std::uint64_t s = 0; s < 40; ++s) {
    Noise noise(machine, Seed::from_number(s));
    Rng coin(Seed::from_number(1000 + s));
    series.emplace_back();
    for (int i = 0; i < 200; ++i) series.back().push_back(noise.pair(1e6, 1, coin() >> 63 != 0));
  }
  return series;
}

TEST(NoiseFloor, IsTwiceTheSpreadOfBiasesNotOfSamples) {
  EXPECT_LT(noise_floor(series_with_bias(0)), 0.004) << "3 % of jitter is the interval's business";
  EXPECT_NEAR(noise_floor(series_with_bias(0.02)), 0.04, 0.015);
}

TEST(NoiseFloor, LotsOfSeriesPoolByTheirNumbers) {
  EXPECT_NEAR(pool_noise_floors(0.03, 4, 0.03, 12), 0.03, 1e-12);
  EXPECT_NEAR(pool_noise_floors(0.05, 4, 0, 4), std::expm1(std::log1p(0.05) / std::sqrt(2)), 1e-12);
  EXPECT_NEAR(pool_noise_floors(0.9, 0, 0.01, 4), 0.01, 1e-12);
  EXPECT_NEAR(pool_noise_floors(0.01, 4, 0.9, 0), 0.01, 1e-12);
  EXPECT_EQ(pool_noise_floors(0.02, 0, 0.01, 0), 0.01);
}

TEST(NoiseFloor, WideSpreadsTakeMorePairs) {
  const auto needed = [](double spread) {
    Rng rng(Seed::from_number(4));
    std::vector<PairedSample> series;
    while (floor_wants_more(series))
      series.push_back({1e6 * std::exp(spread * (rng.uniform() - 0.5)), 1e6});
    return series.size();
  };
  EXPECT_EQ(needed(0.001), 16U);
  EXPECT_GT(needed(0.04), 16U);
  EXPECT_LT(needed(0.04), 64U);
  EXPECT_EQ(needed(0.5), 64U);
}

}  // namespace
}  // namespace kw::measure
