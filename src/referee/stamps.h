// Whether the two clocks of a GPU, stamps and events, agree about the calls of one program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/verdict.h"

namespace kw::referee {

/// Compares the stamps of one leg's calls with the driver's events. The sample is the difference of
/// the stamps less that of empty calls, which device code cannot change. The driver's events lie in
/// memory that device code can write (one 8-byte store made a 104 µs kernel read 1.9 µs), so they
/// decide nothing: they only void samples in which the two differ by more than max(2 %, 1 µs, two
/// ticks).
///
/// A stamp of 0 means that there is no stamp, because a busy host missed the announcement of the
/// trusted kernel that runs before the call (the spacer). Such a sample is void too.
///
/// Honest machines disagree now and then, when a foreign process takes the GPU between event and
/// stamp; the next sample then agrees. Only events that are off by more than a factor of two, in at
/// least six calls and in more than half of all calls, are called forged.
///
/// The stamps stand around the events, so they read more by what a launch takes: set_offset() says
/// how much (Leg::stamps_apart_ns()).
class StampWatch {
 public:
  /// `offset_ns`: stamped less event time of an empty call. `tick_ns`: resolution of the device's
  /// timer, which limits every stamp.
  void set_offset(double offset_ns, double tick_ns);
  /// Takes a call's two times, in ns; returns false if its sample is void.
  bool agree(double stamped_ns, double event_ns);
  /// Cheated where events were forged; Unmeasurable where at least eight samples and more than half
  /// are void. `whose` says whose calls they were, if not the candidate's.
  std::optional<Verdict> verdict(const std::string& workload, const std::string& whose = {}) const;

 private:
  double offset_ns_ = 0;
  double tick_ns_ = 0;
  int calls_ = 0;
  int void_ = 0;
  int forged_ = 0;
  double last_stamped_ns_ = 0;  ///< Stamped time of the latest void sample.
  double last_event_ns_ = 0;
};

}  // namespace kw::referee
