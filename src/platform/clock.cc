// Reads the clocks of the machine and sleeps.
// SPDX-License-Identifier: Apache-2.0
#include "platform/clock.h"

#include <ctime>
#include <thread>

namespace kw::platform {
namespace {

class RealClock final : public Clock {
 public:
  std::int64_t now_ns() const override {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
  std::int64_t wall_seconds() const override {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec;
  }
  void sleep_for(Nanoseconds duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace

Clock& real_clock() {
  static RealClock clock;
  return clock;
}

std::string utc_text(std::int64_t wall_seconds) {
  const std::time_t t = static_cast<std::time_t>(wall_seconds);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace kw::platform
