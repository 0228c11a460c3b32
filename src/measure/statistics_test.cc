// Tests of order statistics: exact values, coverage by enumeration, invariances.
// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace kw::measure {
namespace {

std::vector<double> ramp(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 40);
  EXPECT_EQ(median(values), 25);
  EXPECT_EQ(quantile(values, 1.0 / 3), 20);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Mad, EstimatesTheDeviationOfNormalDataAndIgnoresOutliers) {
  Rng rng(Seed::from_number(3));
  std::vector<double> values(20000);
  for (double& v : values) v = 5 + 2 * rng.normal();
  for (std::size_t i = 0; i < 200; ++i) values[i] = 1e9;
  EXPECT_NEAR(mad(values), 2, 0.08);
}

TEST(MedianInterval, NeedsAsManySamplesAsTheBinomialSays) {
  EXPECT_EQ(samples_needed(0.5), 2U);    // 2 * 2^-2
  EXPECT_EQ(samples_needed(0.05), 6U);   // 2 * 2^-6 = 0.031
  EXPECT_EQ(samples_needed(0.005), 9U);  // 2 * 2^-9 = 0.0039
  EXPECT_FALSE(median_interval(ramp(8), 0.005).has_value());
  EXPECT_EQ(median_interval(ramp(9), 0.005), (Interval{1, 9}));
}

TEST(MedianInterval, MatchesPublishedTables) {
  // Ranks of the 95 % interval of a median (for example Conover, Practical Nonparametric
  // Statistics).
  EXPECT_EQ(median_interval(ramp(10), 0.05), (Interval{2, 9}));
  EXPECT_EQ(median_interval(ramp(20), 0.05), (Interval{6, 15}));
  EXPECT_EQ(median_interval(ramp(50), 0.05), (Interval{18, 33}));
  EXPECT_EQ(median_interval(ramp(100), 0.05), (Interval{40, 61}));
}

// Counts every pattern of n fair coins: the promise is exact, not approximate.
TEST(MedianInterval, HoldsForEveryPatternOfSigns) {
  for (const double alpha : {0.005, 0.05, 0.2}) {
    for (int n = 9; n <= 14; ++n) {
      int missed = 0;
      for (unsigned signs = 0; signs < (1U << n); ++signs) {
        std::vector<double> values;
        for (int i = 0; i < n; ++i) values.push_back((signs >> i & 1) != 0 ? 1.0 + i : -1.0 - i);
        const auto interval = median_interval(values, alpha);
        ASSERT_TRUE(interval.has_value());
        missed += interval->low > 0 || interval->high < 0;
      }
      EXPECT_LE(missed, alpha * (1 << n)) << "n = " << n;
    }
  }
}

TEST(MedianInterval, LongSeriesDoNotUnderflow) {
  const auto interval = median_interval(ramp(100001), 0.005);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->high - interval->low, 2 * 2.807 * 0.5 * std::sqrt(100001.0), 3);
  EXPECT_EQ(interval->low + interval->high, 100002) << "symmetric around the median";
}

TEST(MedianInterval, ShrinksWithConfidence) {
  const auto values = ramp(200);
  EXPECT_LT(median_interval(values, 0.005)->low, median_interval(values, 0.05)->low);
  EXPECT_GT(median_interval(values, 0.005)->high, median_interval(values, 0.05)->high);
}

// With autocorrelation the plain interval of a wandering series misses far too often, the interval
// of blocks does not.
TEST(SeriesMedianInterval, SurvivesAutocorrelation) {
  Rng rng(Seed::from_number(11));
  constexpr int kSeries = 400;
  int plain_missed = 0;
  int block_missed = 0;
  for (int s = 0; s < kSeries; ++s) {
    double state = rng.normal();
    std::vector<double> series;
    for (int i = 0; i < 1200; ++i) {
      state = 0.8 * state + 0.6 * rng.normal();
      series.push_back(state);
    }
    const auto plain = median_interval(series, 0.01);
    const auto block = series_median_interval(series, 0.01);
    plain_missed += plain->low > 0 || plain->high < 0;
    block_missed += block->low > 0 || block->high < 0;
  }
  EXPECT_GT(plain_missed, 40);
  EXPECT_LE(block_missed, 12)
      << "1 % promised, 3 % allowed for blocks that are not quite independent";
}

TEST(SeriesMedianInterval, IsThePlainOneForShortSeries) {
  EXPECT_EQ(series_median_interval(ramp(20), 0.005), median_interval(ramp(20), 0.005));
  EXPECT_FALSE(series_median_interval(ramp(8), 0.005).has_value());
  EXPECT_FALSE(series_median_interval({}, 0.005).has_value());
}

}  // namespace
}  // namespace kw::measure
