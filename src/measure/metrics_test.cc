// Tests that compare the metrics with an enumeration of everything that could have been drawn.
// SPDX-License-Identifier: Apache-2.0
#include "measure/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/rng.h"

namespace kw::measure {
namespace {

/// Mean of the best speedup over every choice of k of these tries; with `hit`, the share of choices
/// that include a correct try.
double by_enumeration(int k, const std::vector<double>& speedups, bool hit) {
  double sum = 0;
  int choices = 0;
  for (unsigned set = 0; set < (1U << speedups.size()); ++set) {
    if (std::popcount(set) != k) continue;
    double best = 0;
    for (std::size_t i = 0; i < speedups.size(); ++i)
      if ((set >> i & 1) != 0) best = std::max(best, speedups[i]);
    sum += hit ? static_cast<double>(best > 0) : best;
    ++choices;
  }
  return sum / choices;
}

std::vector<double> some_tries(Rng& rng, std::size_t n) {
  std::vector<double> tries(n);
  // Rounding makes some tries equal.
  for (double& s : tries) s = rng.uniform() < 0.4 ? 0 : std::round(rng.uniform(0.1, 4) * 4) / 4;
  return tries;
}

TEST(Metrics, PassAndSpeedupAreMeansOverEveryChoice) {
  Rng rng(Seed::from_number(11));
  for (int round = 0; round < 40; ++round) {
    const auto tries = some_tries(rng, 1 + rng.below(9));
    const auto n = static_cast<int>(tries.size());
    const auto c = static_cast<int>(std::ranges::count_if(tries, [](double s) { return s > 0; }));
    for (int k = 1; k <= n; ++k) {
      EXPECT_NEAR(pass_at(k, n, c), by_enumeration(k, tries, true), 1e-12) << n << " " << k;
      EXPECT_NEAR(speedup_at(k, tries), by_enumeration(k, tries, false), 1e-12) << n << " " << k;
    }
  }
}

TEST(Metrics, AreExactWhereBinomialsOverflow) {
  EXPECT_NEAR(pass_at(1, 2000, 500), 0.25, 1e-12);
  EXPECT_EQ(pass_at(1000, 2000, 1001), 1);
  std::vector<double> tries(2000);
  for (std::size_t i = 0; i < tries.size(); ++i) tries[i] = static_cast<double>(i + 1);
  // The mean of the largest of k drawn from 1..n is k (n + 1) / (k + 1).
  EXPECT_NEAR(speedup_at(1000, tries), 1000 * 2001.0 / 1001, 1e-6);
}

TEST(Metrics, EveryTaskWeighsTheSameAndNoneIsLeftOutForFailing) {
  const std::vector<TaskSamples> tasks{{"a", {2, 0, 0, 0}}, {"b", {0, 0}}, {"c", {4, 1}}};
  EXPECT_NEAR(*pass_at(1, tasks), (0.25 + 0 + 1) / 3, 1e-12);
  EXPECT_NEAR(*pass_at(2, tasks), (0.5 + 0 + 1) / 3, 1e-12);
  EXPECT_NEAR(*speedup_at(1, tasks), (0.5 + 0 + 2.5) / 3, 1e-12);
  EXPECT_NEAR(*efficiency_at(2, 4, tasks), (1.0 + 0 + 4) / 3 / 4, 1e-12);
  EXPECT_FALSE(pass_at(3, tasks).has_value()) << "b has two tries";
  EXPECT_FALSE(speedup_at(1, std::span<const TaskSamples>()).has_value());
}

TEST(Metrics, FastIsStrict) {
  const std::vector<TaskSamples> tasks{{"a", {1, 0}}, {"b", {2, 1.5}}};
  EXPECT_NEAR(*fast_p(0, tasks), (0.5 + 1) / 2, 1e-12) << "a failure is not faster than 0";
  EXPECT_NEAR(*fast_p(1, tasks), 0.5, 1e-12) << "1 is not faster than 1";
  EXPECT_NEAR(*fast_p(1.5, tasks), 0.25, 1e-12);
  EXPECT_EQ(*fast_p(2, tasks), 0);
}

TEST(Metrics, GeometricMeans) {
  const std::vector<TaskSamples> tasks{{"a", {4, 1}}, {"b", {0, 0}}, {"c", {0, 8}}};
  EXPECT_NEAR(*geomean_correct(tasks), std::sqrt(2.0 * 8), 1e-12);
  const double c = std::sqrt(8 / 16.0);
  EXPECT_NEAR(*geomean_all(tasks), std::cbrt(2 * (1 / 16.0) * c), 1e-12);
  EXPECT_FALSE(geomean_correct(std::vector<TaskSamples>{{"b", {0}}}).has_value());
}

TEST(Metrics, FailingIsNeverBetterThanBeingSlow) {
  for (const double slow : {0.9, 0.05, 1e-6}) {
    const std::vector<TaskSamples> right{{"a", {slow, 2}}};
    const std::vector<TaskSamples> failed{{"a", {0, 2}}};
    EXPECT_GE(*geomean_all(right), *geomean_all(failed)) << slow;
    EXPECT_GE(*speedup_at(1, right), *speedup_at(1, failed)) << slow;
    EXPECT_GT(*fast_p(0, right), *fast_p(0, failed)) << slow;
  }
}

// With 3 tasks each of the 27 draws is equally likely. The ends of the interval are far from any
// change of value, so 20,000 draws give the same quantiles as the enumeration.
TEST(Bootstrap, ComesToTheQuantilesOfEveryDraw) {
  const std::vector<TaskSamples> tasks{{"a", {1}}, {"b", {2}}, {"c", {9}}};
  const Metric metric = [](std::span<const TaskSamples> t) { return speedup_at(1, t); };
  std::vector<double> all;
  for (int draw = 0; draw < 27 * 100; ++draw) {
    const std::vector<TaskSamples> drawn{tasks[draw % 3], tasks[draw / 3 % 3], tasks[draw / 9 % 3]};
    all.push_back(*metric(drawn));
  }
  for (const double alpha : {0.1, 0.4}) {
    const auto interval = bootstrap(metric, tasks, alpha, 5, 20'000);
    ASSERT_TRUE(interval.has_value());
    EXPECT_NEAR(interval->low, quantile(all, alpha / 2), 1e-9) << alpha;
    EXPECT_NEAR(interval->high, quantile(all, 1 - alpha / 2), 1e-9) << alpha;
  }
  EXPECT_EQ(bootstrap(metric, tasks), bootstrap(metric, tasks));
  EXPECT_NE(bootstrap(metric, tasks, 0.05, 1, 9), bootstrap(metric, tasks, 0.05, 2, 9));
  EXPECT_FALSE(bootstrap(metric, {tasks.data(), 1}).has_value());
}

TEST(Bootstrap, LeavesOutDrawsWithoutAMetric) {
  const std::vector<TaskSamples> tasks{{"a", {3}}, {"b", {0}}};
  const auto interval = bootstrap(geomean_correct, tasks);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 3, 1e-12);
  EXPECT_NEAR(interval->high, 3, 1e-12);
}

}  // namespace
}  // namespace kw::measure
