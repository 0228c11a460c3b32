// Brake: reads every thread before it is stopped, and computes the processor time used outside of
// calls.
// SPDX-License-Identifier: Apache-2.0
#include "device/brake.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "base/defence.h"
#include "platform/clock.h"

namespace kw::device {
namespace {

/// Most time that the stop costs a thread which slept and is woken to obey; measured on a busy
/// virtual machine: 3 to 8 µs in the freezer, up to 41 by a signal.
constexpr std::int64_t kStopCostNs = 50'000;
/// Time that a thread may take to fall asleep after the player's answer; it counts as time of the
/// call.
constexpr std::int64_t kFallAsleepNs = 20'000;
/// Longest time for reading all threads that still counts as instant; reading a dozen threads takes
/// less.
constexpr std::int64_t kMostLookNs = 100'000;
/// Longest time between two moments at which the kernel charges a running thread for processor
/// time: the tick at 100 Hz.
constexpr std::int64_t kTickNs = 10'000'000;

/// Longest wait for a process's threads to fall asleep where a test (positive control) lets the
/// process run on between calls.
constexpr std::int64_t kSleepWithoutStopNs = 50'000'000;

/// Processor time that threads were charged for between two moments, less `allowance_ns` per
/// thread.
double growth(const ThreadSet::Times& before, const ThreadSet::Times& after,
              std::int64_t allowance_ns) {
  double sum = 0;
  for (const auto& [thread, ns] : after) {
    const auto known = before.find(thread);
    const std::int64_t used = ns - (known == before.end() ? 0 : known->second) - allowance_ns;
    sum += static_cast<double>(std::max<std::int64_t>(used, 0));
  }
  return sum;
}

/// Time by which the busiest thread ran longer than `elapsed_ns`.
double beyond(const ThreadSet::Times& before, const ThreadSet::Times& after, double elapsed_ns) {
  double most = 0;
  for (const auto& [thread, ns] : after) {
    const auto known = before.find(thread);
    const std::int64_t used = ns - (known == before.end() ? 0 : known->second) - kStopCostNs;
    most = std::max(most, static_cast<double>(used) - elapsed_ns);
  }
  return most;
}

}  // namespace

Brake::Brake(const platform::Process& process, std::unique_ptr<Hold> hold)
    : process_(process),
      hold_(hold ? std::move(hold) : hold_by_signals(process)),
      threads_(process.payload_pid()) {}

void Brake::note_rest() {
  has_looked_ = false;
  if (!is_on(Defence::WorkOutsideCalls)) return;
  rested_ = std::exchange(resting_, {});
  asked_ = threads_.times();
}

bool Brake::release() { return hold_->release(); }

// Looks at every thread, then stops all. With many threads the look takes long, and a thread that
// is looked at last can end its work before its turn; so after a long look, too, the call has
// lasted until all are stopped.
bool Brake::pull() {
  bool has_ended = true;
  if (is_on(Defence::WorkOutsideCalls)) {
    const std::int64_t began_ns = platform::real_clock().now_ns();
    looked_ = threads_.times_when_asleep(kFallAsleepNs);
    has_looked_ = true;
    has_ended = looked_.all_slept && platform::real_clock().now_ns() - began_ns <= kMostLookNs;
  }
  if (is_on(Defence::StoppedAtAnswer)) hold_->engage();
  return has_ended;
}

bool Brake::await_rest() {
  if (!is_on(Defence::StoppedAtAnswer)) {
    threads_.await_sleep(kSleepWithoutStopNs);
    return process_.is_payload_running();
  }
  constexpr int kEager = 50;
  constexpr int kTries = 150'000;  // half a minute
  constexpr timespec kPause{0, 200'000};
  for (int tries = 0; tries < kTries && process_.is_payload_running(); ++tries) {
    if (hold_->is_complete()) {
      if (!process_.is_payload_running()) return false;  // a zombie looks stopped
      if (is_on(Defence::WorkOutsideCalls)) resting_ = threads_.times();
      return true;
    }
    if (tries > kEager) ::nanosleep(&kPause, nullptr);
  }
  return false;
}

double Brake::outside_ns(double elapsed_ns) const {
  if (!has_looked_) return 0;
  // A thread that still ran has not been charged for the kernel's last tick, during which the call
  // may have run. Its work until it was stopped counts as time of the call.
  ThreadSet::Times slept = resting_;
  double ran = 0;
  for (const pid_t thread : looked_.running) {
    ThreadSet::Times one;
    if (auto own = slept.extract(thread)) one.insert(std::move(own));
    ran += growth(looked_.times, one, kTickNs);
  }
  const double after = ran + growth(looked_.times, slept, kStopCostNs);
  const double before = rested_.empty() ? 0 : growth(rested_, asked_, 0);
  return before + std::max(after, beyond(asked_, resting_, elapsed_ns));
}

}  // namespace kw::device
