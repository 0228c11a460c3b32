// Times a GPU's new best kernel once more, on the referee's own clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "referee/timed_candidate.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Compares the stamps of a GPU's clock with times around the calls.
class WallClock {
 public:
  /// `site` and `candidate` must outlive the object.
  WallClock(TimingSite& site, TimedCandidate& candidate) : site_(site), candidate_(candidate) {}

  /// Times the candidate once more. The verdict is (measure, unmeasurable) if its calls take longer
  /// than their stamps say. Precondition: the candidate was timed at this workload, on a GPU.
  Ended retime(TimedWorkload& at);

 private:
  Ended time_series(TimedWorkload& at, bool is_paced, std::vector<double>& walls);
  Result<TimedCall> time_one(TimedWorkload& at);
  Ended time_empty(TimedWorkload& at, std::size_t calls, double& quicker_ns);

  TimingSite& site_;
  TimedCandidate& candidate_;
};

}  // namespace kw::referee
