// The candidate's timed calls, each of them checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "referee/check.h"
#include "referee/timed_lives.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Times samples of the candidate, and looks at what each call leaves.
class TimedCandidate {
 public:
  /// All arguments must outlive the object.
  TimedCandidate(TimingSite& site, TimedSets& sets, TimedOpponent& opponent, TimedLives& lives)
      : site_(site), sets_(sets), opponent_(opponent), lives_(lives) {}

  /// Times one sample into `ns`. Precondition: TimedLives::sit_down().
  Ended time(TimedWorkload& at, const std::vector<int>& sets, SampleTime& ns);
  /// Checks the latest call, which used the input set `set`: all of it, or the share that is due.
  Ended check(TimedWorkload& at, int set, bool is_full);
  /// Share of the outputs that check() looks at after a call that is not checked in full. Costs
  /// about what the call costs.
  double share_to_check(const TimedWorkload& at) const;

 private:
  /// Checks what one of the candidate's calls left, while its process is stopped.
  Ended look_after(TimedWorkload& at, int set, Suspicion& suspicion);
  Result<AfterCheck> watch(TimedWorkload& at);
  /// Makes calls like the timed ones, without using their times, until the suspicion of late work
  /// is settled.
  Ended resolve(TimedWorkload& at, Suspicion suspicion);
  Ended clocks_part(const TimedWorkload& at);

  TimingSite& site_;
  TimedSets& sets_;
  TimedOpponent& opponent_;
  TimedLives& lives_;
};

}  // namespace kw::referee
