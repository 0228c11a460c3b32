// Shares the clock page with a player, and computes times from its stamps.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_clock.h"

#include <sys/mman.h>

#include <cerrno>

namespace kw::device {

double AnnouncementWatch::stamped_ns() const {
  // A difference of more than a day, in ns, is no time but comes from something else that was
  // written.
  constexpr std::uint64_t kMost = std::uint64_t{86'400} * 1'000'000'000;
  if (!is_in_time_ || page_.stamped != nonce_) return 0;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const std::uint64_t stamp = page_.stamp_ns;
  if (stamp <= end_ns_ || stamp - end_ns_ > kMost) return 0;
  return static_cast<double>(stamp - end_ns_);
}

Result<SharedClock> SharedClock::create() {
  SharedClock clock;
  clock.descriptor_ = KW_TRY(platform::make_memfd("clock", player::kClockPageBytes));
  KW_TRY(platform::seal_memfd(clock.descriptor_, false));
  void* page = ::mmap(nullptr, player::kClockPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      clock.descriptor_.get(), 0);
  if (page == MAP_FAILED)
    return platform::fail_errno("map the page of memory that carries the referee's clock",
                                "clock page", errno);
  clock.page_ = static_cast<player::ClockPage*>(page);
  return clock;
}

SharedClock::~SharedClock() {
  if (page_ != nullptr) ::munmap(page_, player::kClockPageBytes);
}

void SharedClock::reset() {
  page_->go = 0;
  page_->announced = 0;
  page_->end_ns = 0;
  page_->stamped = 0;
  page_->stamp_ns = 0;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

}  // namespace kw::device
