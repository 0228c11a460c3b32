// Takes the samples of a timing.
// SPDX-License-Identifier: Apache-2.0
#include "referee/pair_loop.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "referee/fate.h"

namespace kw::referee {

Ended PairLoop::run_pairs(Speedup& speedup) {
  const measure::Limits limits = pace_.limits();
  measure::PairPlan plan(limits, site_.seed.child("coin"), site_.workloads.size());
  const std::int64_t started = sets_.now_ns();
  std::string_view cut;
  while (plan.wants_more()) {
    if (site_.haste.is_hurried()) return interrupted_at(plan);
    if (auto verdict = KW_TRY(time_pair(plan))) return verdict;
    const auto elapsed_ns = static_cast<double>(sets_.now_ns() - started);
    if (plan.wants_more() && !plan.wants_noise_floor())
      if (const auto why = pace_.why_cut(plan, limits, elapsed_ns); why) {
        cut = why->name;
        plan.cut_short(std::string(why->words));
      }
    if (plan.wants_noise_floor()) plan.give_noise_floor(KW_TRY(floors_.learn(plan)));
  }
  if (site_.haste.is_hurried()) return interrupted_at(plan);
  for (std::size_t w = 0; w < site_.workloads.size(); ++w) {
    TimedWorkload& at = site_.workloads[w];
    at.result->speedup = to_record(plan.estimate(w), limits, at.bench->noise_floor);
  }
  speedup = to_record(plan.estimate(), limits, floors_.worst());
  speedup.is_faster = plan.decision() == measure::Decision::Faster;
  // A search asks whether the incumbent is beaten: "not shown" is an answer, and a rough figure
  // still ranks the points of a tuner.
  const bool must_be_known = site_.request.measure.purpose != Purpose::Search;
  if (plan.decision() != measure::Decision::Unmeasurable || !must_be_known) return std::nullopt;
  Evidence seen{
      .kind = EvidenceKind::SpeedupUnknown, .subject = std::string(cut), .detail = plan.ending()};
  if (speedup.low > 0 && speedup.high > 0) {
    seen.kind = EvidenceKind::SpeedupUnsure;
    seen.numbers = {speedup.low, speedup.high};
  }
  return make_verdict(Stage::Measure, Outcome::Unmeasurable, std::move(seen));
}

Ended PairLoop::time_pair(measure::PairPlan& plan) {
  const measure::Turn turn = plan.next();
  TimedWorkload& at = site_.workloads[turn.workload];
  if (auto verdict = KW_TRY(lives_.sit_down(at))) return at_measure(*verdict);
  const std::vector<int> sets = KW_TRY(sets_.draw(at, *at.candidate));
  SampleTime own, other;
  if (!turn.candidate_first) other = KW_TRY(opponent_.time(at, sets));
  if (auto verdict = KW_TRY(candidate_.time(at, sets, own))) return verdict;
  if (turn.candidate_first) other = KW_TRY(opponent_.time(at, sets));
  if (!own || !other) return std::nullopt;  // another pair follows, with a new random order
  const measure::PairedSample pair{*own, *other};
  if (pair.opponent_ns <= 0) return opponent_.fails({.kind = EvidenceKind::OpponentHasNoTime});
  at.result->samples.push_back(
      {pair.candidate_ns, pair.opponent_ns, sets.front(), !turn.candidate_first});
  plan.add(pair);
  if (at.result->samples.size() == kProbePairs) shorten_opponent(at, site_.options);
  return std::nullopt;
}

Speedup PairLoop::to_record(const measure::Estimate& estimate, const measure::Limits& limits,
                            const std::optional<NoiseFloor>& floor) const {
  const NoiseFloor known = floor.value_or(NoiseFloor());
  return Speedup{.value = estimate.speedup,
                 .low = estimate.low,
                 .high = std::isfinite(estimate.high) ? estimate.high : 0,
                 .confidence = estimate.confidence,
                 .baseline = site_.request.opponent.name,
                 .noise_floor = floor ? std::optional(known.ratio) : std::nullopt,
                 .is_faster = measure::decide(estimate, known.ratio, limits.confidence,
                                              limits.too_wide) == measure::Decision::Faster,
                 .floor_series = known.series};
}

Verdict PairLoop::interrupted_at(const measure::PairPlan& plan) const {
  std::size_t pairs = 0;
  for (std::size_t w = 0; w < site_.workloads.size(); ++w) pairs += plan.samples(w).size();
  return interrupted(
      {.kind = EvidenceKind::InterruptedPairs, .numbers = {static_cast<double>(pairs)}});
}

Ended PairLoop::run_alone() {
  measure::Limits each = pace_.limits();
  each.budget_ns /= static_cast<double>(site_.workloads.size());
  const std::int64_t started = sets_.now_ns();
  for (TimedWorkload& at : site_.workloads) {
    measure::SoloPlan plan(each);
    while (plan.wants_more() &&
           static_cast<double>(sets_.now_ns() - started) <= site_.options.measure_wall_ns &&
           !site_.haste.is_too_late()) {
      if (site_.haste.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedAlone});
      if (auto verdict = KW_TRY(lives_.sit_down(at))) return at_measure(*verdict);
      const std::vector<int> sets = KW_TRY(sets_.draw(at, *at.candidate));
      SampleTime ns;
      if (auto verdict = KW_TRY(candidate_.time(at, sets, ns))) return verdict;
      if (!ns) continue;
      at.result->samples.push_back({*ns, 0, sets.front(), false});
      plan.add(*ns);
    }
  }
  return std::nullopt;
}

}  // namespace kw::referee
