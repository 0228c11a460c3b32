// Decides, from the durations of calls alone, when the clock has settled and warm-up ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace kw::measure {

struct WarmUpLimits {
  /// Length of the windows whose medians are compared; longer than a frequency governor's tick of
  /// 10 ms.
  double window_ns = 30e6;
  double most_ns = 1e9;     ///< Warm-up ends after this time even if the calls have not settled.
  double tolerance = 0.02;  ///< Relative difference between two windows that counts as settled.
};

/// Calls are repeated until the median over the last window agrees with the median over the window
/// before. A window holds at least one call, so long calls settle after two that agree.
/// Deterministic.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpLimits& limits = {}) : limits_(limits) {}

  bool wants_more() const { return !settled_ && spent_ns_ < limits_.most_ns; }
  /// Adds the duration of the call just made, above 0.
  void add(double ns);
  /// False when the warm-up's time ran out before the calls had settled.
  bool settled() const { return settled_; }
  double spent_ns() const { return spent_ns_; }
  std::size_t calls() const { return calls_; }

 private:
  WarmUpLimits limits_;
  std::vector<double> window_;  ///< Durations of the calls in the window that is being filled.
  double window_spent_ns_ = 0;
  /// Median of the previous window; 0 before the first full window.
  double previous_median_ns_ = 0;
  double spent_ns_ = 0;
  std::size_t calls_ = 0;
  bool settled_ = false;
};

}  // namespace kw::measure
