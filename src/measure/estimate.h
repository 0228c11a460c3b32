// Turns paired samples into a speedup with its interval, and the interval into a decision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "measure/statistics.h"

namespace kw::measure {

/// Times of two calls made right after one another, in an order drawn by a fair coin; both above 0.
struct PairedSample {
  double candidate_ns = 0;
  double opponent_ns = 0;

  bool operator==(const PairedSample&) const = default;
};

/// Speedup = opponent's time / candidate's time, so above 1 the candidate is faster.
struct Estimate {
  double speedup = 1;
  /// Lower end of the interval; 0 while unknown. `high` is infinite while unknown.
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  /// Probability that the interval holds the true speedup: 0.995, or less if the timing was cut
  /// short.
  double confidence = 0;
  /// Number of pairs; after combine() the number of the workload with the fewest pairs.
  std::size_t pairs = 0;

  bool operator==(const Estimate&) const = default;
};

/// log(opponent / candidate) of each pair.
std::vector<double> log_ratios(std::span<const PairedSample> pairs);

/// Speedup as the median paired ratio, with an interval that misses it with probability at most
/// `alpha`.
///
/// Method: the exact order-statistic interval of the median log ratio (median_interval). It is
/// justified by the fair coin that orders each pair: a common factor s between the two programs
/// leaves log ratios log s + e_i, where e_i changes sign when the two calls are swapped. Given
/// everything that the machine did (drift, modes, bursts, any autocorrelation), the signs of the
/// e_i are therefore independent fair coins, which is all that the interval needs. A bootstrap
/// would have to guess the block length that the coin makes irrelevant. With fewer than
/// samples_needed(alpha) pairs the interval is [min, max] and `confidence` is lower. The estimate
/// depends neither on the order of the pairs nor on the unit of time. O(n log n).
Estimate estimate_speedup(std::span<const PairedSample> pairs, double alpha);

/// Geometric mean of the workloads' speedups, with an interval by recovery of variances (Zou &
/// Donner 2008, "MOVER"): in logarithms the distance from the mean to each end is the root of the
/// sum of the squared distances of the workloads, divided by their number. The interval is right
/// for independent series (the coins that order the pairs make them independent) and exact for one
/// workload. Nothing for no workloads.
std::optional<Estimate> combine(std::span<const Estimate> workloads);

enum class Decision {
  Faster,        ///< The interval's lower end is above decision_line().
  NotFaster,     ///< Measured precisely enough, and not shown faster.
  Unmeasurable,  ///< The interval is too wide for either decision.
};

/// The value that the lower end of a speedup must exceed to count as faster: 1 + max(0.005,
/// noise_floor).
double decision_line(double noise_floor);

/// True when every one of at least 3 pairs shows a speedup below 0.8: noise that leaves a gain of 3
/// % findable cannot make a faster candidate look so slow, so further pairs would be wasted.
bool is_hopeless(const Estimate& estimate);

/// Faster: the interval lies above decision_line(noise_floor). NotFaster: the interval lies below
/// the line, or is narrow and contains it. Unmeasurable: undecided, and the interval is wider than
/// a factor e^(+-too_wide). `confidence` is what the comparison asked for; an estimate with less is
/// never Faster, and NotFaster only if hopeless.
Decision decide(const Estimate& estimate, double noise_floor, double confidence, double too_wide);

/// A/A noise floor as a fraction: how far apart two identical programs may seem on this machine for
/// reasons that no coin averages out (page placement, code alignment), which last as long as a pair
/// of processes. Each series times a program against itself in *fresh* processes. The floor is
/// twice the spread of the series' median log ratios beyond what their own sampling explains
/// (random effects, by moments; sampling error from the pooled MAD), so it covers 95 % of a normal
/// bias; sampling noise itself is covered by the interval. Preconditions: at least one series, each
/// of at least 3 pairs. Few pairs overstate the floor and hide real gains: on a machine with 3 % of
/// jitter, 4 series of 3 pairs cost a third of the power to find 3 %, 4 series of 40 none.
double noise_floor(std::span<const std::vector<PairedSample>> series);

/// The floor of two groups of series together, from the floor of each group and its number of
/// series: the root of the mean of the squared spreads. A group of no series is ignored; if neither
/// has any, the second floor is returned.
double pool_noise_floors(double first, int first_series, double second, int second_series);

/// True while the series' own sampling error could still raise the floor by half a percent: the
/// wider its pairs spread, the more pairs it takes. At least 16 pairs are wanted and at most 64.
bool floor_wants_more(std::span<const PairedSample> series);

}  // namespace kw::measure
