// Keeps account of what huge pages cost and save.
// SPDX-License-Identifier: Apache-2.0
#include "device/huge_pages.h"

#include <algorithm>

namespace kw::device {
namespace {

constexpr std::int64_t kSlowNs = 1'000'000;
constexpr double kLeastOfShare = 1.0 / 16;

}  // namespace

bool HugePages::are_affordable() const {
  const std::lock_guard lock(mutex_);
  return credit_ns_ > 0;
}

void HugePages::took(std::int64_t ns) {
  const std::lock_guard lock(mutex_);
  if (ns <= kSlowNs) {
    ++quick_;
    credit_ns_ = std::min(most_credit_ns_, credit_ns_ + spared_ns_);
    return;
  }
  ++slow_;
  credit_ns_ -= ns;
  if (credit_ns_ > 0) return;
  // If most huge pages were slow, a smaller share is credited for the next tries.
  share_ = quick_ > slow_ ? most_share_ : std::max(kLeastOfShare * most_share_, share_ / 2);
  slow_ = quick_ = 0;
}

void HugePages::went_without(std::int64_t ns) {
  const std::lock_guard lock(mutex_);
  const double gained = share_ * static_cast<double>(ns);
  credit_ns_ = std::min(most_credit_ns_, credit_ns_ + static_cast<std::int64_t>(gained));
}

}  // namespace kw::device
