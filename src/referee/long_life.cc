// Makes many calls in one process to check a win.
// SPDX-License-Identifier: Apache-2.0
#include "referee/long_life.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/defence.h"
#include "referee/check.h"
#include "referee/fate.h"

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

Ended live_long(TimingSite& site, TimedWorkload& at) {
  const auto lap = site.account.lap("long life");
  Seat& seat = *at.candidate;
  KW_TRY(at.bench->slots.renew_memory());
  if (auto verdict = KW_TRY(seat.begin_life())) return verdict;
  std::uint64_t calls = kLeastCalls + site.rng.below(kMostCalls - kLeastCalls);
  std::set<std::uint64_t> turns =
      draw_turns(calls, std::min(kMostChecked, static_cast<std::size_t>(at.sets)), site.rng);
  int next_set = kWarmSet + 1;
  const bool is_confirmed = site.request.measure.purpose == Purpose::Confirm;
  const double most_ns = is_confirmed ? kConfirmedLifeWallNs : kLifeWallNs;
  const std::int64_t began = site.clock.now_ns();
  std::uint64_t call = 0;
  const auto look = [&](int set) -> Ended {
    Checked checked = KW_TRY(check_call(*at.bench, *at.leg, 0, set, {}, Stage::Measure));
    if (!checked.verdict) return std::nullopt;
    site.findings = std::move(checked.findings);
    checked.verdict->seen.call = static_cast<std::int64_t>(call) + 1;
    say_again(*checked.verdict);
    return checked.verdict;
  };
  for (; call < calls; ++call) {
    if (site.haste.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedLife});
    const auto elapsed = static_cast<double>(site.clock.now_ns() - began);
    // The calls take too long: a new end is drawn beyond what has been done, so that the end stays
    // unknown.
    const bool is_over = elapsed > most_ns || site.haste.is_late();
    if (is_over && call >= kFewestCalls && calls > call + kFewestCalls) {
      calls = call + 1 + site.rng.below(kFewestCalls);
      std::erase_if(turns, [&](std::uint64_t turn) { return turn >= calls; });
      turns.insert(calls - 1);
    }
    const bool is_checked = turns.contains(call) && next_set <= at.sets;
    const TimedCall one = KW_TRY(is_checked ? seat.time_one(next_set) : seat.time_unknown());
    if (one.verdict) return one.verdict;
    if (!is_checked) continue;
    if (auto wrong = KW_TRY(look(next_set++))) return wrong;
    ++at.result->life_checked;
  }
  at.result->life_calls = static_cast<int>(calls);
  return std::nullopt;
}

}  // namespace

// Finds faults that show only after many calls, by making many calls in one process. To the
// candidate they look like timed calls: caches are cold, inputs are new every time, and the process
// rests in between. Inputs with a known truth come at turns that the candidate cannot foresee, each
// once; for other inputs no truth is computed, because it would cost more than the call.
Ended live_long(TimingSite& site, bool is_faster) {
  const bool is_confirmed = site.request.measure.purpose == Purpose::Confirm;
  const std::size_t chosen = site.rng.below(site.workloads.size());
  if (!is_on(Defence::LongLives) || !(is_faster || is_confirmed)) return std::nullopt;
  for (std::size_t w = 0; w < site.workloads.size(); ++w)
    if (!site.workloads[w].bench->runs_plans() && (is_confirmed || w == chosen))
      if (auto wrong = KW_TRY(live_long(site, site.workloads[w]))) return at_measure(*wrong);
  return std::nullopt;
}

}  // namespace kw::referee
