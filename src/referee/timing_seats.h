// Prepares candidate and opponent for the timed calls at one workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "referee/timed_candidate.h"
#include "referee/timed_lives.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Starts both legs, decides the number of calls in a sample, and lets clocks settle.
class TimingSeats {
 public:
  /// All arguments must outlive the object.
  TimingSeats(TimingSite& site, TimedSets& sets, TimedOpponent& opponent, TimedLives& lives,
              TimedCandidate& candidate)
      : site_(site), sets_(sets), opponent_(opponent), lives_(lives), candidate_(candidate) {}

  /// Makes a workload ready for pairs; the result gets the numbers of calls. A verdict if the
  /// candidate failed or its calls cannot be timed here.
  Ended set_up(TimedWorkload& at);

 private:
  Ended seat_legs(TimedWorkload& at);
  /// Starts the candidate and opponent for samples of `at.calls` calls and estimates their calls.
  /// `shortest_ns` gets the shorter one's.
  Ended seat_once(TimedWorkload& at, double& shortest_ns);
  /// More calls make up a sample, since a call takes `shortest_ns`; a verdict if they do not fit
  /// into memory.
  std::optional<Verdict> add_calls(TimedWorkload& at, double shortest_ns) const;
  Ended settle(TimedWorkload& at);
  Result<> measure_empty(Bench& bench);

  TimingSite& site_;
  TimedSets& sets_;
  TimedOpponent& opponent_;
  TimedLives& lives_;
  TimedCandidate& candidate_;
  bool settled_ = false;
};

}  // namespace kw::referee
