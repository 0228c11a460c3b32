// Clock: monotonic and wall time behind one interface, so that tests can control time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kw::platform {

using Nanoseconds = std::chrono::nanoseconds;

/// The source of time. Objects borrow the clock that they use, so it must outlive them.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since an arbitrary start; never steps back (CLOCK_MONOTONIC).
  virtual std::int64_t now_ns() const = 0;
  /// Seconds since 1970-01-01 UTC; may step either way. For records only, never for durations.
  virtual std::int64_t wall_seconds() const = 0;
  /// Blocks the calling thread.
  virtual void sleep_for(Nanoseconds duration) = 0;
};

/// UTC time in ISO 8601: "2026-11-20T12:04:40Z".
std::string utc_text(std::int64_t wall_seconds);

/// The machine's clock. One instance serves the whole process.
Clock& real_clock();

/// A clock that moves only when a test moves it; sleeping advances it at once.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t start_ns = 0, std::int64_t wall_s = 1'700'000'000)
      : now_ns_(start_ns), wall_s_(wall_s) {}

  std::int64_t now_ns() const override { return now_ns_; }
  std::int64_t wall_seconds() const override { return wall_s_; }
  void sleep_for(Nanoseconds duration) override { advance(duration); }

  void advance(Nanoseconds duration) {
    now_ns_ += duration.count();
    pending_ns_ += duration.count();
    wall_s_ += pending_ns_ / 1'000'000'000;
    pending_ns_ %= 1'000'000'000;
  }
  /// Steps wall time, as an administrator or NTP does; monotonic time does not move.
  void step_wall(std::int64_t seconds) { wall_s_ += seconds; }

 private:
  std::int64_t now_ns_;
  std::int64_t wall_s_;
  std::int64_t pending_ns_ = 0;
};

}  // namespace kw::platform
