// When candidate and opponent start new processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Starts the processes of candidate and opponent together.
class TimedLives {
 public:
  /// All arguments must outlive the object.
  TimedLives(TimingSite& site, TimedSets& sets, TimedOpponent& opponent)
      : site_(site), sets_(sets), opponent_(opponent) {}

  /// Prepares the next pair: more input sets where they pay, new processes where they are needed.
  Ended sit_down(TimedWorkload& at);
  /// Where `seat` needs a new process, starts one for it and one for the opponent, on memory that
  /// no process has mapped unless all of its processes are `trusted`. The verdict is that of
  /// `seat`.
  Ended begin(TimedWorkload& at, Seat& seat, bool trusted = false);

 private:
  TimingSite& site_;
  TimedSets& sets_;
  TimedOpponent& opponent_;
};

}  // namespace kw::referee
