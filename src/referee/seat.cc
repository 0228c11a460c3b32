// Lives, sets and the clock of one leg at one workload.
// SPDX-License-Identifier: Apache-2.0
#include "referee/seat.h"

#include <fmt/format.h>

#include <numeric>
#include <span>

#include "referee/fate.h"

namespace kw::referee {
namespace {

constexpr int kSignalBus = 7;
constexpr int kSignalSegv = 11;

}  // namespace

Seat::Seat(Bench& bench, Leg& leg, int slots, int sets, bool trusted, std::int64_t timeout_ns,
           Seed seed)
    : bench_(bench),
      leg_(leg),
      slots_(slots),
      sets_(sets),
      trusted_(trusted),
      timeout_ns_(timeout_ns),
      rng_(seed) {
  KW_ASSERT(sets >= slots && slots >= 1 && bench.slots() >= slots);
}

bool Seat::needs_life() const {
  const bool alive = leg_.is_alive() && (lives_ > 0 || trusted_);
  return !alive || (!trusted_ && unseen_.size() < static_cast<std::size_t>(slots_));
}

Result<std::optional<Verdict>> Seat::begin_life() {
  if (auto refused = KW_TRY(leg_.renew())) return refused;
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
  if (unseen_.size() < static_cast<std::size_t>(slots_)) shuffle_sets();
  return std::nullopt;
}

Result<TimedCall> Seat::warm_up() {
  return call(std::vector<int>(static_cast<std::size_t>(slots_), kWarmSet), false);
}

std::vector<int> Seat::draw_sets() {
  KW_ASSERT(unseen_.size() >= static_cast<std::size_t>(slots_));
  std::vector<int> sets(unseen_.end() - slots_, unseen_.end());
  unseen_.resize(unseen_.size() - static_cast<std::size_t>(slots_));
  return sets;
}

Result<TimedCall> Seat::time(const std::vector<int>& sets) { return call(sets, true); }

Result<TimedCall> Seat::call(const std::vector<int>& sets, bool cold) {
  for (int s = 0; s < slots_; ++s) KW_TRY(bench_.place(s, sets[static_cast<std::size_t>(s)]));
  if (cold) KW_TRY(bench_.flush(slots_));
  const auto result = leg_.call(bench_.arguments(slots_), timeout_ns_ * slots_);
  TimedCall timed;
  timed.verdict = verdict_of(result, fmt::format("workload '{}'", bench_.workload().name));
  timed.ns = (result.elapsed_ns - (bench_.empty_ns.value_or(0))) / slots_;
  timed.crashed_outside_guard = result.fate == device::Fate::Crashed && !result.fault_in_guard &&
                                (result.signal == kSignalSegv || result.signal == kSignalBus);
  return timed;
}

}  // namespace kw::referee
