// Warm-up until the clock settles, by time: fed with durations, knows nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace kw::measure {

struct WarmUpLimits {
  double window_ns =
      30e6;  ///< Span whose medians are compared; above a frequency governor's 10 ms tick.
  double most_ns = 1e9;     ///< Gives up settling after this much.
  double tolerance = 0.02;  ///< Relative difference between two windows that counts as settled.
};

/// Calls are repeated until the median over the last window agrees with that over the window before
/// it. A window holds at least one call, so long calls settle after two that agree. Deterministic.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpLimits& limits = {}) : limits_(limits) {}

  bool wants_more() const { return !settled_ && spent_ns_ < limits_.most_ns; }
  /// Duration of the call just made, above 0.
  void add(double ns);
  /// False when the time ran out first; the record says so.
  bool settled() const { return settled_; }
  double spent_ns() const { return spent_ns_; }
  std::size_t calls() const { return calls_; }

 private:
  WarmUpLimits limits_;
  std::vector<double> window_;  ///< Calls of the window being filled.
  double window_spent_ns_ = 0;
  double previous_median_ns_ = 0;  ///< 0 before the first full window.
  double spent_ns_ = 0;
  std::size_t calls_ = 0;
  bool settled_ = false;
};

}  // namespace kw::measure
