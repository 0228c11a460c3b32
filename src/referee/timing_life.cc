// When candidate and opponent start new processes on a CPU, and the long series of calls in one
// process that checks a win.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/defence.h"
#include "referee/check.h"
#include "referee/timing.h"

namespace kw::referee {
namespace {

// Limits of the number of calls that check a win in one process; a candidate cannot know the
// number. Where the calls would take longer than the wall time, only as many are made as fit into
// it, but at least kFewestCalls. A confirmation takes the longer wall time for each workload; any
// other win takes the shorter one for a workload drawn at random.
constexpr std::uint64_t kLeastCalls = 150;
constexpr std::uint64_t kMostCalls = 450;
constexpr double kConfirmedLifeWallNs = 3e9;
constexpr double kLifeWallNs = 1e9;
constexpr std::uint64_t kFewestCalls = 24;
constexpr std::size_t kMostChecked = 8;

// Draws at most `count` distinct call numbers below `calls`; the last call is always among them.
std::set<std::uint64_t> draw_turns(std::uint64_t calls, std::size_t count, Rng& rng) {
  std::set<std::uint64_t> turns{calls - 1};
  while (turns.size() < std::min<std::size_t>(count, calls)) turns.insert(rng.below(calls));
  return turns;
}

}  // namespace

Result<std::optional<Verdict>> Timing::sit_down(Entry& entry) {
  KW_TRY(add_set(entry));
  return begin_lives(entry, *entry.candidate);
}

// Candidate and opponent start new processes together, on memory that only these map. Where a
// process lies in memory is worth up to a percent, and an opponent that lived on would give the
// same percent to every pair; code of an earlier process could also pass something to a later one
// through shared memory. The two take turns in starting first: the processor on which a process
// comes to lie, and how fast it is woken there, depends on what was started before it.
Result<std::optional<Verdict>> Timing::begin_lives(Entry& entry, Seat& seat, bool trusted) {
  if (seat.needs_life() && !entry.bench->runs_plans()) {
    const auto lap = account_.lap("memory");
    entry.bench->end_lives();
    if (!trusted) KW_TRY(entry.bench->renew_memory());
    entry.opponent_begins = !entry.opponent_begins;
  }
  if (seat.needs_life() && entry.bench->runs_plans() && entry.opponent)
    entry.bench->opponent->end();
  for (const bool is_opponent : {entry.opponent_begins, !entry.opponent_begins}) {
    if (is_opponent && !entry.opponent) continue;
    const auto verdict = KW_TRY((is_opponent ? *entry.opponent : seat).ready());
    if (verdict && is_opponent) return opponent_fails(verdict->evidence);
    if (verdict) return verdict;
  }
  return std::nullopt;
}

// Finds faults that show only after many calls, by making many calls in one process. To the
// candidate they look like timed calls: caches are cold, inputs are new every time, and the process
// rests in between. Inputs with a known truth come at turns that the candidate cannot foresee, each
// once; for other inputs no truth is computed, because it would cost more than the call.
Result<std::optional<Verdict>> Timing::live_long() {
  const bool is_confirmed = request_.measure.purpose == Purpose::Confirm;
  const std::size_t chosen = rng_.below(entries_.size());
  if (!is_on(Defence::LongLives) || !(speedup_.is_faster || is_confirmed)) return std::nullopt;
  for (std::size_t w = 0; w < entries_.size(); ++w)
    if (!entries_[w].bench->runs_plans() && (is_confirmed || w == chosen))
      if (auto wrong = KW_TRY(live_long(entries_[w]))) return at_measure(*wrong);
  return std::nullopt;
}

Result<std::optional<Verdict>> Timing::live_long(Entry& entry) {
  const auto lap = account_.lap("long life");
  Seat& seat = *entry.candidate;
  KW_TRY(entry.bench->renew_memory());
  if (auto verdict = KW_TRY(seat.begin_life())) return verdict;
  std::uint64_t calls = kLeastCalls + rng_.below(kMostCalls - kLeastCalls);
  std::set<std::uint64_t> turns =
      draw_turns(calls, std::min(kMostChecked, static_cast<std::size_t>(entry.sets)), rng_);
  int next_set = kWarmSet + 1;
  const bool is_confirmed = request_.measure.purpose == Purpose::Confirm;
  const double most_ns = is_confirmed ? kConfirmedLifeWallNs : kLifeWallNs;
  const std::int64_t began = clock_.now_ns();
  std::uint64_t call = 0;
  const auto look = [&](int set) -> Result<std::optional<Verdict>> {
    Checked checked = KW_TRY(check_call(*entry.bench, *entry.leg, 0, set, {}, Stage::Measure));
    if (!checked.verdict) return std::nullopt;
    findings_ = std::move(checked.findings);
    checked.verdict->evidence += fmt::format(" (call {} of one process)", call + 1);
    return checked.verdict;
  };
  for (; call < calls; ++call) {
    if (haste_.is_hurried()) return interrupted("during many calls of one process");
    const auto elapsed = static_cast<double>(clock_.now_ns() - began);
    // The calls take too long: a new end is drawn beyond what has been done, so that the end stays
    // unknown.
    const bool is_over = elapsed > most_ns || haste_.is_late();
    if (is_over && call >= kFewestCalls && calls > call + kFewestCalls) {
      calls = call + 1 + rng_.below(kFewestCalls);
      std::erase_if(turns, [&](std::uint64_t turn) { return turn >= calls; });
      turns.insert(calls - 1);
    }
    const bool is_checked = turns.contains(call) && next_set <= entry.sets;
    const TimedCall one = KW_TRY(is_checked ? seat.time_one(next_set) : seat.time_unknown());
    if (one.verdict) return one.verdict;
    if (!is_checked) continue;
    if (auto wrong = KW_TRY(look(next_set++))) return wrong;
    ++entry.result->life_checked;
  }
  entry.result->life_calls = static_cast<int>(calls);
  return std::nullopt;
}

}  // namespace kw::referee
