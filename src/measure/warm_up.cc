// Ends the warm-up once one window of calls agrees with the window before.
// SPDX-License-Identifier: Apache-2.0
#include "measure/warm_up.h"

#include <cmath>

#include "base/result.h"
#include "measure/statistics.h"

namespace kw::measure {

void WarmUp::add(double ns) {
  KW_ASSERT(ns > 0);
  ++calls_;
  spent_ns_ += ns;
  window_spent_ns_ += ns;
  window_.push_back(ns);
  if (window_spent_ns_ < limits_.window_ns) return;
  const double now = median(window_);
  settled_ = previous_median_ns_ > 0 &&
             std::abs(now - previous_median_ns_) <= limits_.tolerance * previous_median_ns_;
  previous_median_ns_ = now;
  window_.clear();
  window_spent_ns_ = 0;
}

}  // namespace kw::measure
