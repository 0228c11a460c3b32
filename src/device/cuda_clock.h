// The referee's reading of the clock page. An announcement counts only if it was copied while the
// spacer kernel was still running.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "base/result.h"
#include "platform/files.h"
#include "player/clock_page.h"

namespace kw::device {

/// Waits for one announcement. If less time than the spacer kernel's length passes between two
/// looks, of which the first sees nothing and the second the announcement, then the announcement
/// was copied before the candidate could run, whatever the candidate writes later.
class AnnouncementWatch {
 public:
  /// `page` is borrowed; `lead_ns` is how long the spacer kernel runs after its announcement.
  AnnouncementWatch(const player::ClockPage& page, std::uint64_t nonce, std::uint64_t lead_ns,
                    std::int64_t now_ns)
      : page_(page), nonce_(nonce), lead_ns_(lead_ns), last_ns_(now_ns) {}

  /// True once there is an announcement, in time or late. `clock` is any monotonic clock in ns.
  template <class Clock>
  bool look(const Clock& clock) {
    const std::int64_t before = clock();
    if (page_.announced != nonce_) {
      last_ns_ = before;
      return false;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    end_ns_ = page_.end_ns;
    is_in_time_ = clock() - last_ns_ < static_cast<std::int64_t>(lead_ns_) - kMarginNs;
    return true;
  }

  bool is_in_time() const { return is_in_time_; }
  /// Time in ns from the end of the spacer kernel to the stamp; 0 unless an announcement was copied
  /// in time and a stamp followed it.
  double stamped_ns() const;

 private:
  /// Allows for the time in which the announcement travels from the device to the host, some 1 to 2
  /// µs.
  static constexpr std::int64_t kMarginNs = 5000;

  const player::ClockPage& page_;
  std::uint64_t nonce_;
  std::uint64_t lead_ns_;
  std::int64_t last_ns_;
  std::uint64_t end_ns_ = 0;
  bool is_in_time_ = false;
};

/// A clock page that the referee shares with one player.
class SharedClock {
 public:
  static Result<SharedClock> create();
  SharedClock(SharedClock&& other) noexcept
      : descriptor_(std::move(other.descriptor_)), page_(std::exchange(other.page_, nullptr)) {}
  SharedClock& operator=(SharedClock&&) = delete;
  ~SharedClock();

  player::ClockPage& page() { return *page_; }
  int descriptor() const { return descriptor_.get(); }
  /// Clears all fields, so that no earlier run is left.
  void reset();

 private:
  SharedClock() = default;
  platform::Fd descriptor_;
  player::ClockPage* page_ = nullptr;
};

}  // namespace kw::device
