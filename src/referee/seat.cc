// Starts the processes of one leg at one workload, hands out their input sets, and times their
// calls.
// SPDX-License-Identifier: Apache-2.0
#include "referee/seat.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "base/defence.h"
#include "measure/statistics.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

constexpr int kUnknownSet = -1;
// Below this time a single call is a poor estimate: the processor that makes the call alone changes
// the time by 30 µs.
constexpr double kShortNs = 200e3;
constexpr int kShortEstimates = 9;

}  // namespace

Seat::Seat(Bench& bench, Leg& leg, int calls, int sets, bool follows, std::int64_t timeout_ns,
           Seed seed, Account& account)
    : bench_(bench),
      leg_(leg),
      calls_(calls),
      sets_(sets),
      lives_on_(follows || !is_on(Defence::NoSetTwice)),
      timeout_ns_(timeout_ns),
      rng_(seed),
      account_(account) {
  KW_ASSERT(sets >= calls && calls >= 1 && bench.slots.count() >= 1);
}

bool Seat::needs_life() const {
  const bool alive = leg_.is_alive() && (lives_ > 0 || lives_on_);
  return !alive || (!lives_on_ && unseen_.size() < static_cast<std::size_t>(calls_));
}

Result<std::optional<Verdict>> Seat::begin_life() {
  {
    const auto lap = account_.lap("life");
    if (auto refused = KW_TRY(leg_.renew())) return refused;
  }
  ++lives_;
  shuffle_sets();
  return KW_TRY(warm_up()).verdict;
}

void Seat::shuffle_sets() {
  unseen_.resize(static_cast<std::size_t>(sets_));
  std::iota(unseen_.begin(), unseen_.end(), kWarmSet + 1);
  rng_.shuffle(std::span(unseen_));
}

Result<std::optional<Verdict>> Seat::ready() {
  if (needs_life()) return KW_TRY(begin_life());
  if (unseen_.size() < static_cast<std::size_t>(calls_)) shuffle_sets();
  return std::nullopt;
}

Result<TimedCall> Seat::warm_up() { return call(kWarmSet, false); }

Result<TimedCall> Seat::estimate() {
  TimedCall first = KW_TRY(call(kWarmSet, true));
  if (first.verdict || bench_.runs_plans() || first.ns > kShortNs) return first;
  std::vector<double> ns{first.ns};
  for (int i = 1; i < kShortEstimates; ++i) {
    TimedCall again = KW_TRY(call(kWarmSet, true));
    if (again.verdict) return again;
    ns.push_back(again.ns);
  }
  first.ns = measure::median(ns);
  return first;
}

std::vector<int> Seat::draw_sets() {
  if (!is_on(Defence::NoSetTwice))
    return std::vector<int>(static_cast<std::size_t>(calls_), kWarmSet + 1);
  KW_ASSERT(unseen_.size() >= static_cast<std::size_t>(calls_));
  std::vector<int> sets(unseen_.end() - calls_, unseen_.end());
  unseen_.resize(unseen_.size() - static_cast<std::size_t>(calls_));
  return sets;
}

Result<TimedCall> Seat::time(const std::vector<int>& sets, const AfterCall& after) {
  KW_ASSERT(sets.size() >= static_cast<std::size_t>(calls_));
  TimedCall sample;
  for (const int set : std::span(sets).first(static_cast<std::size_t>(calls_))) {
    TimedCall one = KW_TRY(call(set, true));
    if (one.verdict) return one;
    sample.ns += one.ns / calls_;
    sample.wall_ns += one.wall_ns;
    sample.outside_ns += one.outside_ns;
    sample.is_void |= one.is_void;
    if (after) sample.afterwards = KW_TRY(after(set));
    if (sample.afterwards) return sample;
  }
  if (!bench_.runs_plans())
    sample.is_void = lateness_.tell(sample.outside_ns, sample.wall_ns, calls_);
  return sample;
}

Result<TimedCall> Seat::time_unknown() { return call(kUnknownSet, true); }

Result<TimedCall> Seat::call(int set, bool is_timed) {
  {
    const auto lap = account_.lap("place");
    KW_TRY(set == kUnknownSet ? bench_.slots.place_unknown(0)
                              : bench_.slots.place(0, set, outputs_));
    KW_TRY(leg_.make_ready(bench_.workload()));
  }
  if (is_timed) {
    const auto lap = account_.lap("forget");
    TimedCall refused;
    refused.verdict = verdict_of(leg_.forget(bench_.workload()), bench_.workload().name);
    if (refused.verdict) return refused;
  }
  auto timed = KW_TRY(run(is_timed));
  // The modules are loaded anew while this call is checked and until the next call begins.
  if (is_timed && !timed.verdict) leg_.begin_forget(bench_.workload());
  return timed;
}

Result<TimedCall> Seat::time_again() {
  KW_TRY(leg_.make_ready(bench_.workload()));
  return run(true);
}

Result<TimedCall> Seat::time_by_stream() {
  KW_TRY(leg_.make_ready(bench_.workload()));
  return run(true, device::CallKind::ByStream);
}

Result<TimedCall> Seat::run(bool is_timed, device::CallKind kind) {
  if (is_timed) {
    const auto lap = account_.lap("flush");
    if (is_on(Defence::CachesFlushed)) KW_TRY(bench_.slots.flush(1));
  }
  auto lap = account_.lap("call");
  const Workload& workload = bench_.workload();
  // On cpu a warm-up call may run beside the start of the next player; a GPU's warm-up call takes
  // too long for that.
  if (!is_timed && !bench_.runs_plans()) kind = device::CallKind::Checked;
  const auto result = KW_TRY(leg_.call(workload, timeout_ns_, kind));
  lap.part("queue", result.announced_ns);
  lap.part("wait", result.waited_ns);
  lap.part("stop", std::max(0.0, lap.so_far_ns() - result.waited_ns - result.elapsed_ns));
  TimedCall timed;
  timed.verdict = verdict_of(result, workload.name);
  timed.wall_ns = result.elapsed_ns;
  timed.may_be_input_write = may_be_input_write(result);
  if (!bench_.runs_plans()) {
    timed.ns = result.elapsed_ns - bench_.slots.empty_ns.value_or(0);
    timed.outside_ns = result.outside_ns;
  } else if (!timed.verdict) {
    // Without a stamp (the host missed the announcement) the event gives a rough figure, good
    // enough for planning.
    const double apart_ns = leg_.stamps_apart_ns();
    // Candidate and opponent subtract the same figure, because two figures would be a bias between
    // them. The figure can only fall.
    const double subtrahend_ns = std::min(bench_.slots.empty_ns.value_or(apart_ns), apart_ns);
    bench_.slots.empty_ns = subtrahend_ns;
    timed.ns =
        result.stamped_ns > 0 ? result.stamped_ns - subtrahend_ns : std::max(result.event_ns, 1.0);
    if (is_timed) {
      stamps_.set_offset(apart_ns, bench_.device().facts().gpu.front().timer_tick_ns);
      timed.is_void = !stamps_.agree(result.stamped_ns, result.event_ns);
    }
  }
  return timed;
}

}  // namespace kw::referee
