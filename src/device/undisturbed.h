// Undisturbed: keeps a timed call and the start of a player from overlapping.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "platform/clock.h"

namespace kw::device {

/// Holds, while a call is timed, the mutex that the players of a device share and that
/// PoolOptions::exclusion names; tells how long it waited for the mutex.
class Undisturbed {
 public:
  explicit Undisturbed(std::mutex& alone) {
    const std::int64_t began_ns = platform::real_clock().now_ns();
    lock_ = std::unique_lock(alone);
    waited_ns_ = static_cast<double>(platform::real_clock().now_ns() - began_ns);
  }

  double waited_ns() const { return waited_ns_; }

 private:
  std::unique_lock<std::mutex> lock_;
  double waited_ns_ = 0;
};

}  // namespace kw::device
