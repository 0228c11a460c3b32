// Prepares the input sets of timed calls; on a GPU draws one for each pair just in time.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timed_sets.h"

#include <algorithm>

#include "base/defence.h"

namespace kw::referee {
namespace {

// A process times one pair for each input set. With too few sets the noise floor, which many
// judgements share, comes out too high and hides real gains. The first kProbePairs pairs, which may
// show a comparison to be hopeless, use one set: a second costs more than the process starts that
// it saves.
constexpr int kFirstSets = 2;
constexpr int kMostSets = 64;
// An input set costs about as much as this number of process starts. A further set saves as many if
// that many pairs are to come.
constexpr int kLivesPerSet = 12;

// Number of input sets, by the time that computing one truth takes; more sets mean fewer process
// starts and more variety.
int sets_for(double truth_ns) {
  if (truth_ns < 20e6) return 8;
  if (truth_ns < 100e6) return 4;
  return truth_ns < 500e6 ? 3 : 2;
}

}  // namespace

Result<> TimedSets::prepare(TimedWorkload& at) {
  Bench& bench = *at.bench;
  const auto lap = site_.account.lap("sets");
  KW_TRY(bench.truths.prepare(kWarmSet));
  choose(at);
  if (at.is_fresh) return {};
  const double truth_ns = bench.truths.known(kWarmSet).truth.reference_ns;
  const auto affordable = static_cast<int>(std::min<std::int64_t>(
      at.memory_bytes / std::max<std::int64_t>(bench.bytes_per_set(), 1), kMostSets));
  const int wanted = site_.options.pool_sets > 0 ? site_.options.pool_sets : sets_for(truth_ns);
  at.most_sets = std::max({2, at.calls, std::min(wanted * at.calls, affordable)});
  const int known = static_cast<int>(bench.truths.prepared_sets().size());
  at.sets = std::clamp(std::max(known - 1, at.calls), at.calls, at.most_sets);
  for (int set = kWarmSet + 1; set <= at.sets; ++set) KW_TRY(bench.truths.prepare(set));
  bench.fast.rest();
  return {};
}

// Decides whether each pair has an input set of its own. Where computing a truth takes long,
// processes are replaced as on cpu, so that each sees a prepared set once.
void TimedSets::choose(TimedWorkload& at) const {
  const Bench& bench = *at.bench;
  at.is_fresh =
      bench.runs_plans() && is_on(Defence::GpuSetsSeenOnce) && bench.truths.answers_quickly();
  at.lives_on = bench.runs_plans() && (at.is_fresh || !is_on(Defence::GpuSetsSeenOnce));
  if (at.is_fresh) at.sets = at.calls;  // sets are fresh, so none of these is used
}

Result<> TimedSets::grow(TimedWorkload& at) {
  if (at.is_fresh) return {};
  const bool is_first = at.sets < kFirstSets * at.calls;
  const bool pays =
      is_first ? at.result->samples.size() >= kProbePairs
               : at.candidate->needs_life() && at.candidate->lives() >= kLivesPerSet * at.sets;
  const int wanted = std::min(is_first ? kFirstSets * at.calls : at.sets + 1, at.most_sets);
  if (!pays || at.sets >= wanted) return {};
  const auto lap = site_.account.lap("sets");
  for (; at.sets < wanted; ++at.sets) KW_TRY(at.bench->truths.prepare(at.sets + 1));
  at.candidate->offer(at.sets);
  if (at.opponent) at.opponent->offer(at.sets);
  return {};
}

// The input set of the previous pair is kept where memory allows, so that a candidate that gives
// its answer again is recognised.
Result<std::vector<int>> TimedSets::draw(TimedWorkload& at, Seat& seat, bool is_checked) {
  if (!at.is_fresh) return seat.draw_sets();
  const auto lap = site_.account.lap("sets");
  const std::int64_t started = site_.clock.now_ns();
  Bench& bench = *at.bench;
  const std::size_t held = site_.device.free_bytes() > 2 * bench.bytes_per_set() ? 1 : 0;
  while (at.fresh.size() > held) {
    bench.truths.drop(at.fresh.front());
    at.fresh.erase(at.fresh.begin());
  }
  if (!bench.fast.is_ready() && site_.device.free_bytes() < bench.bytes_to_begin())
    for (const TimedWorkload& other : site_.workloads)
      if (&other != &at) other.bench->fast.rest();
  at.fresh.push_back(bench.truths.fresh_set());
  if (is_checked) KW_TRY(bench.truths.answer(at.fresh.back()));
  drawing_ns_ += site_.clock.now_ns() - started;
  return std::vector<int>{at.fresh.back()};
}

}  // namespace kw::referee
