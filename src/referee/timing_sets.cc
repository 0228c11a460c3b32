// Input sets of timed calls on a GPU: one for each pair, drawn just in time, as its truth is
// computed.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/defence.h"
#include "referee/timing.h"

namespace kw::referee {

// Where computing a truth takes long, processes are replaced as on cpu, so that each sees a
// prepared set once.
Result<> Timing::choose_sets(Entry& entry) {
  const Bench& bench = *entry.bench;
  entry.is_fresh = bench.runs_plans() && is_on(Defence::GpuSetsSeenOnce) && bench.answers_quickly();
  entry.lives_on = bench.runs_plans() && (entry.is_fresh || !is_on(Defence::GpuSetsSeenOnce));
  if (entry.is_fresh) entry.sets = entry.calls;  // sets are fresh, so none of these is used
  return {};
}

// The input set of the previous pair is kept where memory allows, so that a candidate that gives
// its answer again is recognised.
Result<std::vector<int>> Timing::draw_sets(Entry& entry, Seat& seat, bool is_checked) {
  if (!entry.is_fresh) return seat.draw_sets();
  const auto lap = account_.lap("sets");
  const std::int64_t started = clock_.now_ns();
  Bench& bench = *entry.bench;
  const std::size_t held = device_.free_bytes() > 2 * bench.bytes_per_set() ? 1 : 0;
  while (entry.fresh.size() > held) {
    bench.drop(entry.fresh.front());
    entry.fresh.erase(entry.fresh.begin());
  }
  if (!bench.is_ready_to_answer() && device_.free_bytes() < bench.bytes_to_begin())
    for (const Entry& other : entries_)
      if (&other != &entry) other.bench->rest();
  entry.fresh.push_back(bench.fresh_set());
  if (is_checked) KW_TRY(bench.answer(entry.fresh.back()));
  drawing_ns_ += clock_.now_ns() - started;
  return std::vector<int>{entry.fresh.back()};
}

}  // namespace kw::referee
