// Starts the processes of candidate and opponent for timed calls.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timed_lives.h"

namespace kw::referee {

Ended TimedLives::sit_down(TimedWorkload& at) {
  KW_TRY(sets_.grow(at));
  return begin(at, *at.candidate);
}

// Candidate and opponent start new processes together, on memory that only these map. Where a
// process lies in memory is worth up to a percent, and an opponent that lived on would give the
// same percent to every pair; code of an earlier process could also pass something to a later one
// through shared memory. The two take turns in starting first: the processor on which a process
// comes to lie, and how fast it is woken there, depends on what was started before it.
Ended TimedLives::begin(TimedWorkload& at, Seat& seat, bool trusted) {
  if (seat.needs_life() && !at.bench->runs_plans()) {
    const auto lap = site_.account.lap("memory");
    at.bench->slots.end_lives();
    if (!trusted) KW_TRY(at.bench->slots.renew_memory());
    at.opponent_begins = !at.opponent_begins;
  }
  if (seat.needs_life() && at.bench->runs_plans() && at.opponent) at.bench->slots.opponent->end();
  for (const bool is_opponent : {at.opponent_begins, !at.opponent_begins}) {
    if (is_opponent && !at.opponent) continue;
    const auto verdict = KW_TRY((is_opponent ? *at.opponent : seat).ready());
    if (verdict && is_opponent) return opponent_.fails(verdict->seen);
    if (verdict) return verdict;
  }
  return std::nullopt;
}

}  // namespace kw::referee
