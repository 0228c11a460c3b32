// How long timed pairs go on: budgets by purpose, and limits of wall time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "referee/timing.h"

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

measure::Limits Timing::limits() const {
  measure::Limits limits;
  const double usual = request_.measure.purpose == Purpose::Confirm  ? 6e9
                       : request_.measure.purpose == Purpose::Search ? 0.8e9
                                                                     : 1.5e9;
  limits.budget_ns =
      request_.measure.budget_ns > 0 ? static_cast<double>(request_.measure.budget_ns) : usual;
  limits = measure::at_fidelity(limits, std::clamp(request_.measure.fidelity, 0.05, 1.0));
  limits.hard_budget_ns = std::max(60e9, 4 * limits.budget_ns);
  limits.stop_when_decided = request_.measure.purpose != Purpose::Confirm;
  if (const auto floor = worst_floor()) limits.noise_floor = floor->ratio;
  limits.exact_pairs = static_cast<std::size_t>(std::max(request_.measure.pairs, 0));
  return limits;
}

double Timing::usual_wall_ns(const measure::PairPlan& plan, double budget_ns) const {
  // A person waits for a judgement: near-ties end as "not shown faster" after seconds.
  const bool is_awaited =
      request_.measure.purpose == Purpose::Judge && request_.measure.budget_ns == 0;
  const bool only_ranks =
      request_.measure.purpose == Purpose::Search && entries_.front().bench->runs_plans();
  const bool wins = plan.estimate().speedup > measure::decision_line(worst_ratio());
  if (is_awaited) return wins ? kJudgeMostWallNs : kJudgeWallNs;
  if (only_ranks)
    return std::max(wins ? kSearchMostWallNs : kSearchWallNs,
                    kSearchWallPerTimed * plan.spent_ns());
  return std::max(kLeastWallNs, kWallPerBudget * budget_ns);
}

const char* Timing::why_cut(const measure::PairPlan& plan, const measure::Limits& limits,
                            double elapsed_ns) const {
  const measure::Estimate& seen = plan.estimate();
  // With a fixed number of pairs only options_.measure_wall_ns ends them early.
  const bool is_counted = request_.measure.pairs > 0;
  const bool is_sure = !is_counted && seen.confidence >= limits.confidence;
  const bool has_interval = is_sure && (elapsed_ns > kLeastWallNs ||
                                        seen.high - seen.low <= 2 * limits.too_wide * seen.speedup);
  if (elapsed_ns > options_.measure_wall_ns ||
      (has_interval && elapsed_ns > usual_wall_ns(plan, limits.budget_ns)))
    return "the wall-clock limit of the measurement is reached";
  if (haste_.is_too_late() || (is_sure && haste_.is_late()))
    return "the time limit for this measurement is reached";
  return nullptr;
}

Verdict Timing::interrupted_at(const measure::PairPlan& plan) const {
  std::size_t pairs = 0;
  for (std::size_t w = 0; w < entries_.size(); ++w) pairs += plan.samples(w).size();
  return interrupted(fmt::format("after {} pairs", pairs));
}

}  // namespace kw::referee
