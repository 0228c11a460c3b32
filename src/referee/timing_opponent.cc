// An opponent that goes wrong: whose trouble that is, and what becomes of the candidate.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "referee/check.h"
#include "referee/timing.h"

namespace kw::referee {

std::unexpected<Error> Timing::opponent_fails(const std::string& evidence) {
  opponent_fault_ = fmt::format("the opponent '{}': {}", request_.opponent.name, evidence);
  return fail(opponent_fault_);
}

Result<bool> Timing::opponent_serves_alone(Entry& entry) {
  Bench& bench = *entry.bench;
  KW_TRY(bench.repair());
  KW_TRY(bench.renew_memory());
  const auto leg = bench.make_leg("opponent", request_.jail, true, *opponent_, false);
  if (KW_TRY(leg->renew())) return false;
  Seat seat(bench, *leg, 1, entry.sets, true, options_.reference_timeout_ns,
            seed_.child("opponent alone"), account_);
  if (KW_TRY(seat.ready()) || KW_TRY(seat.warm_up()).verdict) return false;
  if (KW_TRY(seat.time(seat.draw_sets())).verdict) return false;
  return !KW_TRY(check_call(bench, *leg, 0, bench.slot(0).set, {}, Stage::Measure)).verdict;
}

// A candidate can fail on purpose once it is an incumbent, and so decide who may be judged beside
// it; one that harms what runs beside it can make a baseline fail. Neither stops anything: without
// a sound opponent there is no figure, and whoever asked may name another.
Result<std::optional<Verdict>> Timing::excuse(Result<std::optional<Verdict>> ended) {
  if (ended || opponent_fault_.empty()) return ended;
  const std::string words = opponent_fault_;
  Entry& entry = entries_.back();
  for (Entry& each : entries_) {
    each.candidate.reset();
    each.own_leg.reset();
    each.leg = nullptr;
    each.opponent.reset();
    each.bench->opponent.reset();
  }
  std::string evidence = words;
  if (is_trusted(request_.opponent.origin)) {
    opponent_fault_.clear();
    // What it does wrong alone is the task's.
    const bool serves = KW_TRY(opponent_serves_alone(entry)) && opponent_fault_.empty();
    if (!serves) return fail(words);
    evidence += "; it serves where no process of this candidate is near";
  }
  return Verdict{Stage::Measure, Outcome::Unmeasurable, std::move(evidence)};
}

}  // namespace kw::referee
