// From paired samples to a speedup with its interval, and from that to a decision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "measure/statistics.h"

namespace kw::measure {

/// Two calls timed right after one another, in an order drawn by a fair coin; both above 0.
struct PairedSample {
  double candidate_ns = 0;
  double opponent_ns = 0;

  bool operator==(const PairedSample&) const = default;
};

/// Speedup = opponent's time / candidate's time, so above 1 the candidate is faster.
struct Estimate {
  double speedup = 1;
  double low = 0;  ///< Ends of the interval; 0 and infinity while unknown.
  double high = std::numeric_limits<double>::infinity();
  double confidence =
      0;  ///< Probability that the interval holds the truth: 0.995, or less if cut short.
  std::size_t pairs = 0;  ///< For a combination: of the workload with the fewest.

  bool operator==(const Estimate&) const = default;
};

/// log(opponent / candidate) of each pair.
std::vector<double> log_ratios(std::span<const PairedSample> pairs);

/// Speedup as the median paired ratio with an interval that misses it with probability at most
/// `alpha`.
///
/// Method: the exact order-statistic interval of the median log ratio (median_interval). What
/// justifies it is the coin: a common factor s between the two leaves log ratios log s + e_i, where
/// e_i changes sign when the legs are swapped. Given everything the machine did (drift, modes,
/// bursts, any autocorrelation), the signs of the e_i are therefore independent fair coins, which
/// is all that the interval needs. A bootstrap would have to guess the block length that the coin
/// makes irrelevant. With fewer than samples_needed(alpha) pairs the interval is [min, max] and
/// `confidence` says less. Does not depend on the order of the pairs nor on the unit of time. O(n
/// log n).
Estimate estimate_speedup(std::span<const PairedSample> pairs, double alpha);

/// The same for one workload after another: geometric mean of the speedups, with an interval by
/// recovery of variances (Zou & Donner 2008, "MOVER"): in logarithms the distance from the mean to
/// each end is the root of the sum of the squared distances of the workloads, divided by their
/// number. Right for independent series, which the coins make them; exact for one. Nothing for
/// none.
std::optional<Estimate> combine(std::span<const Estimate> workloads);

enum class Decision {
  Faster,        ///< The interval's lower end is above decision_line().
  NotFaster,     ///< Measured well enough, and not that.
  Unmeasurable,  ///< The interval says too little for either.
};

/// Speedup that the lower end must exceed to be called faster: 1 + max(0.005, noise_floor).
double decision_line(double noise_floor);

/// True when every one of at least 3 pairs shows the candidate slower than 0.8 of the opponent: no
/// noise that leaves 3 % findable makes a faster candidate look like that, so the rest need not be
/// paid for.
bool is_hopeless(const Estimate& estimate);

/// Faster: the interval lies above decision_line(noise_floor). NotFaster: it lies below, or is
/// narrow and contains the line. `confidence` is what the comparison asked for; with less than that
/// nothing is ever Faster, and only the hopeless are NotFaster. Unmeasurable: undecided, and the
/// interval is wider than a factor e^(+-too_wide).
Decision decide(const Estimate& estimate, double noise_floor, double confidence, double too_wide);

/// A/A noise floor as a fraction: how far apart two identical things may seem on this machine for
/// reasons that no coin averages out (page placement, code alignment), which last as long as a pair
/// of processes. Each series times a thing against itself in *fresh* processes. Twice the spread of
/// the series' median log ratios beyond what their own sampling explains (random effects, by
/// moments; sampling error from the pooled MAD), so 95 % of a normal bias; sampling noise itself is
/// the interval's business. At least one series, each of at least 3 pairs. Few pairs overstate the
/// floor and hide real gains: on a machine with 3 % of jitter 4 series of 3 pairs cost a third of
/// the power to find 3 %, 4 of 40 none.
double noise_floor(std::span<const std::vector<PairedSample>> series);

/// The floor of both lots of series together, from that of each and their numbers: the mean of the
/// squared spreads. Those of no series say nothing; if neither has any, the second stands.
double pool_noise_floors(double first, int first_series, double second, int second_series);

/// True while the series' own sampling error could still raise the floor by half a percent: the
/// wider its pairs spread, the more it takes. From 16 pairs on; never beyond 64.
bool floor_wants_more(std::span<const PairedSample> series);

}  // namespace kw::measure
