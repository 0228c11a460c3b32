// Decides when to take another sample and when to stop, for paired comparisons and for lone series.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"
#include "measure/estimate.h"

namespace kw::measure {

/// What a measurement may cost and what it is for. Times count the timed spans only.
struct Limits {
  double confidence = 0.995;  ///< Confidence of the whole procedure, over all looks together.
  /// A/A noise floor of this machine as a fraction. Where it is absent, the plan asks for it once a
  /// win depends on it.
  std::optional<double> noise_floor;
  /// Relative half-width of the interval below which more pairs are pointless.
  double half_width = 0.005;
  /// More pairs are pointless, too, below this share of |ln speedup|: 1.4 % at 2x, 7 % at 37x.
  double gain_share = 0.02;
  double too_wide = 0.05;  ///< Half-width above which an undecided comparison is Unmeasurable.
  double budget_ns = 4e9;  ///< Time to be spent on timed calls, over all workloads.
  double hard_budget_ns = 60e9;  ///< Ends the measurement even before the fewest pairs.
  std::size_t max_pairs = 2000;  ///< Limit of pairs per workload.
  std::size_t exact_pairs = 0;   ///< Pairs per workload whatever they show; 0: as many as needed.
  bool may_be_rough = false;     ///< Fewer pairs than the confidence needs are enough, down to 3.
  /// False for a certificate, which goes on until half_width or the budget is reached, even where
  /// the first pairs show the candidate far slower.
  bool stop_when_decided = true;
};

/// Limits for a cheap figure that ranks points of a tuner: `fidelity` (above 0, at most 1) is the
/// share of the budget, and below 1 the figure may be rough. A rough measurement with too few pairs
/// is Unmeasurable, never Faster; its estimate says with which confidence it holds.
Limits at_fidelity(Limits full, double fidelity);

/// Numbers of samples that spend `budget_ns` so that the variance of the mean over workloads is
/// least: proportional to spread / sqrt(cost) (Neyman), at least `fewest` each. Per workload
/// `cost_ns` is above 0 and `spread` at least 0; both have equal length. Every workload gets
/// `fewest` even if the budget cannot pay for them.
std::vector<std::size_t> allot(double budget_ns, std::span<const double> cost_ns,
                               std::span<const double> spread, std::size_t fewest);

/// The pair of calls to time next.
struct Turn {
  std::size_t workload = 0;
  /// Result of a fair coin; the interval is valid only if this order is obeyed.
  bool candidate_first = false;
};

/// One comparison of a candidate with an opponent over one or more workloads.
///
///   PairPlan plan(limits, seed, workloads);
///   while (plan.wants_more()) {
///     Turn t = plan.next();
///     plan.add(time_the_pair(t));
///     if (plan.wants_noise_floor()) plan.give_noise_floor(measure_it());
///   }
///   plan.decision(); plan.estimate(); plan.ending();
///
/// Sequential error: looks at the interval are few (at most 6, at times in equal ratios from the
/// first look to the budget), planned after 3 pairs from durations alone, and each spends the same
/// share of 1 - confidence; by the union bound all intervals looked at hold together with at least
/// `confidence`, so it does not matter which of them ended the comparison, nor why. When to look
/// depends on the sum of both times of a pair, which the coin leaves unchanged. (How several
/// workloads share the time also depends on the widths of their intervals, which hardly notice a
/// coin; error_rates_test covers it.) Deterministic given seed and samples.
class PairPlan {
 public:
  explicit PairPlan(const Limits& limits, Seed seed, std::size_t workloads = 1);

  bool wants_more() const { return !ended_; }
  /// Whether the comparison would end now as faster if the noise floor were known to be low enough.
  bool wants_noise_floor() const { return waits_; }
  /// Tells the noise floor. Precondition: wants_noise_floor().
  void give_noise_floor(double floor);
  /// The pair to time now; stays with a workload until the next look. Preconditions: wants_more(),
  /// not wants_noise_floor().
  Turn next();
  /// Adds the pair that next() asked for.
  void add(const PairedSample& sample);
  /// Ends the comparison now with the pairs added so far (an interrupt); `why` is shown to people.
  void cut_short(std::string why);

  /// Geometric mean over the workloads at the last look.
  const Estimate& estimate() const { return combined_; }
  /// Estimate of one workload at the last look.
  const Estimate& estimate(std::size_t workload) const { return series_.at(workload).estimate; }
  /// The decision at the end. Precondition: !wants_more().
  Decision decision() const;
  /// Why the comparison ended, in words.
  const std::string& ending() const { return ending_; }
  std::span<const PairedSample> samples(std::size_t workload) const;
  double spent_ns() const { return spent_ns_; }

 private:
  struct Series {
    std::vector<PairedSample> samples;
    std::size_t target = 0;  ///< Number of pairs to reach before the next look.
    Estimate estimate;
  };

  void plan_looks();
  std::size_t fewest_pairs() const;
  void set_targets();
  void allot_until(std::size_t look);
  void skip_filled();
  void look(bool last);
  void conclude(bool last);
  void end(std::string why);

  Limits limits_;
  Rng coin_;
  std::vector<Series> series_;
  std::size_t at_ = 0;     ///< The workload whose pairs are timed now.
  std::size_t looks_ = 0;  ///< Number of planned looks; 0 until they are planned.
  std::size_t looks_done_ = 0;
  double first_look_ns_ = 0;
  double last_look_ns_ = 0;
  double spent_ns_ = 0;
  Estimate combined_;
  bool waits_ = false;       ///< The comparison waits for the noise floor.
  bool waits_last_ = false;  ///< The look that waits for the floor is the last one.
  bool ended_ = false;
  /// Why the comparison ends, in words. While it waits for the noise floor: how it ends whatever
  /// the floor is; empty: the comparison may go on.
  std::string ending_;
};

/// Estimate of a program that is timed alone (a baseline's or a candidate's own figure); never a
/// reason to call anything Faster.
struct SeriesEstimate {
  double median_ns = 0;
  /// Interval of the median at the confidence asked for, by series_median_interval.
  Interval interval;
  double mad_ns = 0;
  std::size_t samples = 0;
  bool settled = false;  ///< True if the interval reached the relative half-width asked for.
};

/// Samples one program alone until its median is known to Limits::half_width, within the budget.
/// Looks at 24, 48, 96, … samples. Uses confidence, half_width, budget_ns and max_pairs of Limits;
/// takes at least 3 samples unless hard_budget_ns ends the sampling.
class SoloPlan {
 public:
  explicit SoloPlan(const Limits& limits) : limits_(limits) {}

  bool wants_more() const { return !ended_; }
  void add(double ns);
  SeriesEstimate estimate() const;
  std::span<const double> samples() const { return samples_; }

 private:
  Limits limits_;
  std::vector<double> samples_;
  std::size_t next_look_ = 24;
  double spent_ns_ = 0;
  bool ended_ = false;
};

}  // namespace kw::measure
