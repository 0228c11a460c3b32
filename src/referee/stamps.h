// Whether the two clocks of a GPU tell the same time about one leg's calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/verdict.h"

namespace kw::referee {

/// The sample is the stamps' difference less that of empty calls, which device code cannot change.
/// The driver's events lie in memory that it can (one 8-byte store made a 104 µs kernel read 1.9
/// µs), so they decide nothing: they only void samples in which the two differ by more than max(2
/// %, 1 µs, two ticks).
///
/// A stamp of 0 is none: the host was not there when the spacer announced its end. Such a sample is
/// void too.
///
/// Honest machines disagree now and then, when a foreign process takes the GPU between event and
/// stamp; then the next sample agrees. Only events that are off by more than a factor of two, in at
/// least six calls and in most of all calls, are called forged.
///
/// The stamps stand around the events, so they read more by what a launch takes: set_offset() says
/// how much (Leg::stamps_apart_ns()).
class StampWatch {
 public:
  /// `offset_ns`: stamped less event of a call with nothing in it. `tick_ns`: of the device's
  /// timer, which no stamp is better than.
  void set_offset(double offset_ns, double tick_ns);
  /// Takes a call's two times, in ns. False: its sample is void.
  bool agree(double stamped_ns, double event_ns);
  /// Cheated where events were forged; Unmeasurable where at least eight samples and more than half
  /// are void. `what` names the calls.
  std::optional<Verdict> verdict(const std::string& what) const;

 private:
  double offset_ns_ = 0;
  double tick_ns_ = 0;
  int calls_ = 0;
  int void_ = 0;
  int forged_ = 0;
  double last_stamped_ns_ = 0;  ///< Of the latest void sample.
  double last_event_ns_ = 0;
};

}  // namespace kw::referee
