// Times pairs of calls until the comparison is decided or the budget is spent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "measure/sampling_plan.h"
#include "referee/noise_floors.h"
#include "referee/pace.h"
#include "referee/timed_candidate.h"
#include "referee/timed_lives.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// The loop that takes samples: in pairs against the opponent, or of the candidate alone.
class PairLoop {
 public:
  /// All arguments must outlive the object.
  PairLoop(TimingSite& site, TimedSets& sets, TimedOpponent& opponent, TimedLives& lives,
           TimedCandidate& candidate)
      : site_(site),
        sets_(sets),
        opponent_(opponent),
        lives_(lives),
        candidate_(candidate),
        floors_(site, sets, opponent, lives),
        pace_(site_, floors_) {}

  /// Times pairs; the results get the speedups. Preconditions: there is an opponent, and all
  /// workloads are set up.
  Ended run_pairs(Speedup& speedup);
  /// Times the candidate without an opponent.
  Ended run_alone();

 private:
  /// Times one pair and adds it to the plan; a void sample adds nothing.
  Ended time_pair(measure::PairPlan& plan);
  Speedup to_record(const measure::Estimate& estimate, const measure::Limits& limits,
                    const std::optional<NoiseFloor>& floor) const;
  Verdict interrupted_at(const measure::PairPlan& plan) const;

  TimingSite& site_;
  TimedSets& sets_;
  TimedOpponent& opponent_;
  TimedLives& lives_;
  TimedCandidate& candidate_;
  NoiseFloors floors_;
  Pace pace_;
};

}  // namespace kw::referee
