// Times an opponent, and decides whose trouble it is if the opponent goes wrong, and what becomes
// of the candidate.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/defence.h"
#include "referee/check.h"
#include "referee/timing.h"

namespace kw::referee {

std::unexpected<Error> Timing::opponent_fails(const std::string& evidence) {
  opponent_fault_ = fmt::format("the opponent '{}': {}", request_.opponent.name, evidence);
  return fail(opponent_fault_);
}

Result<Timing::Time> Timing::time_trusted(Seat& seat, const std::vector<int>& sets,
                                          const AfterCall& after) {
  const TimedCall timed = KW_TRY(seat.time(sets, after));
  if (timed.verdict) return opponent_fails(timed.verdict->evidence);
  if (timed.afterwards) return opponent_fails(timed.afterwards->evidence);
  return timed.is_void ? Time() : Time(timed.ns);
}

// The longer a process rests before a call, the longer its threads take to wake, so the opponent is
// checked between the calls of a sample exactly as the candidate is.
Result<Timing::Time> Timing::time_opponent(Entry& entry, const std::vector<int>& sets) {
  Bench& bench = *entry.bench;
  const bool is_checked = entry.calls > 1 && is_on(Defence::EveryCallChecked);
  if (!is_checked) return time_trusted(*entry.opponent, sets);
  return time_trusted(*entry.opponent, sets, [&](int set) -> Result<std::optional<Verdict>> {
    const auto lap = account_.lap("check");
    const Depth depth{.seed = rng_(), .share = entry.result->checked_share};
    return KW_TRY(check_call(bench, *bench.opponent, 0, set, depth, Stage::Measure)).verdict;
  });
}

Result<bool> Timing::opponent_serves_alone(Entry& entry) {
  Bench& bench = *entry.bench;
  KW_TRY(bench.repair());
  KW_TRY(bench.renew_memory());
  const auto leg = bench.make_leg("opponent", request_.jail, true, *opponent_, false);
  Seat seat(bench, *leg, 1, entry.sets, true, options_.reference_timeout_ns,
            seed_.child("opponent alone"), account_);
  if (KW_TRY(seat.ready())) return false;
  if (KW_TRY(seat.time(KW_TRY(draw_sets(entry, seat)))).verdict) return false;
  return !KW_TRY(check_call(bench, *leg, 0, bench.slot(0).set, {}, Stage::Measure)).verdict;
}

// A candidate that has become the incumbent can fail on purpose, and so decide who may be judged
// beside it; a candidate that harms other processes can make a baseline fail. Neither may stop a
// run: without a sound opponent there is no figure, and the caller may name another opponent.
Result<std::optional<Verdict>> Timing::excuse(Result<std::optional<Verdict>> ended) {
  if (ended || opponent_fault_.empty()) return ended;
  for (Entry& entry : entries_) {
    entry.candidate.reset();
    if (entry.leg != nullptr) entry.leg->end();
    entry.leg = nullptr;
    entry.own_leg.reset();
    entry.opponent.reset();
    entry.bench->opponent.reset();
  }
  if (!is_trusted(request_.opponent.origin))
    return Verdict{Stage::Measure, Outcome::Unmeasurable, opponent_fault_};
  const std::string words = std::exchange(opponent_fault_, {});
  for (Entry& entry : entries_)
    // A failure without the candidate is a fault of the task, so it stays an error.
    if (!KW_TRY(opponent_serves_alone(entry))) return fail(words);
  return Verdict{Stage::Measure, Outcome::Unmeasurable,
                 words + "; the opponent works once no process of this candidate is there"};
}

}  // namespace kw::referee
