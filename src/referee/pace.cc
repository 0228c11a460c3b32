// Decides when timed pairs end.
// SPDX-License-Identifier: Apache-2.0
#include "referee/pace.h"

#include <algorithm>

namespace kw::referee {
namespace {

constexpr double kWallPerBudget = 8;  // flushing, placing and checking cost more than the calls
constexpr double kLeastWallNs = 10e9;
// Limits of a search's wall time on a GPU, where the work between short calls takes a hundred times
// as long as the calls: a search only ranks candidates, and the winner is confirmed.
constexpr double kSearchWallNs = 0.25e9;
constexpr double kSearchMostWallNs = 1e9;  // applies where a win is in sight
constexpr double kSearchWallPerTimed = 4;  // long calls are limited by their budget
constexpr double kJudgeWallNs = 3e9;       // judgements take longer only where a win is in sight
constexpr double kJudgeMostWallNs = 12e9;

}  // namespace

measure::Limits Pace::limits() const {
  measure::Limits limits;
  const double usual = site_.request.measure.purpose == Purpose::Confirm  ? 6e9
                       : site_.request.measure.purpose == Purpose::Search ? 0.8e9
                                                                          : 1.5e9;
  limits.budget_ns = site_.request.measure.budget_ns > 0
                         ? static_cast<double>(site_.request.measure.budget_ns)
                         : usual;
  limits = measure::at_fidelity(limits, std::clamp(site_.request.measure.fidelity, 0.05, 1.0));
  limits.hard_budget_ns = std::max(60e9, 4 * limits.budget_ns);
  limits.stop_when_decided = site_.request.measure.purpose != Purpose::Confirm;
  if (const auto floor = floors_.worst()) limits.noise_floor = floor->ratio;
  limits.exact_pairs = static_cast<std::size_t>(std::max(site_.request.measure.pairs, 0));
  return limits;
}

double Pace::usual_wall_ns(const measure::PairPlan& plan, double budget_ns) const {
  // A person waits for a judgement: near-ties end as "not shown faster" after seconds.
  const bool is_awaited =
      site_.request.measure.purpose == Purpose::Judge && site_.request.measure.budget_ns == 0;
  const bool only_ranks = site_.request.measure.purpose == Purpose::Search &&
                          site_.workloads.front().bench->runs_plans();
  const bool wins = plan.estimate().speedup > measure::decision_line(floors_.worst_ratio());
  if (is_awaited) return wins ? kJudgeMostWallNs : kJudgeWallNs;
  if (only_ranks)
    return std::max(wins ? kSearchMostWallNs : kSearchWallNs,
                    kSearchWallPerTimed * plan.spent_ns());
  return std::max(kLeastWallNs, kWallPerBudget * budget_ns);
}

std::optional<Cut> Pace::why_cut(const measure::PairPlan& plan, const measure::Limits& limits,
                                 double elapsed_ns) const {
  const measure::Estimate& seen = plan.estimate();
  // With a fixed number of pairs only Options::measure_wall_ns ends them early.
  const bool is_counted = site_.request.measure.pairs > 0;
  const bool is_sure = !is_counted && seen.confidence >= limits.confidence;
  const bool has_interval = is_sure && (elapsed_ns > kLeastWallNs ||
                                        seen.high - seen.low <= 2 * limits.too_wide * seen.speedup);
  if (elapsed_ns > site_.options.measure_wall_ns ||
      (has_interval && elapsed_ns > usual_wall_ns(plan, limits.budget_ns)))
    return Cut{"wall_clock", "the wall-clock limit of the measurement is reached"};
  if (site_.haste.is_too_late() || (is_sure && site_.haste.is_late()))
    return Cut{"time_limit", "the time limit for this measurement is reached"};
  return std::nullopt;
}

}  // namespace kw::referee
