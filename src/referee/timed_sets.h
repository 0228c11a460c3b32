// Input sets of timed calls: how many are prepared, and which the next calls get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Prepares and hands out the input sets of timed calls. On a cpu sets are prepared beforehand, and
/// more of them if the pairs go on; on a GPU each pair gets a fresh set where truths are quick.
class TimedSets {
 public:
  /// `site` must outlive the object.
  explicit TimedSets(TimingSite& site) : site_(site) {}

  /// Prepares the input sets that a sample needs to begin with.
  Result<> prepare(TimedWorkload& at);
  /// Prepares more sets where that pays. To be called before each pair.
  Result<> grow(TimedWorkload& at);
  /// Input sets for the next calls of candidate and opponent. On a GPU a fresh set, with its truth
  /// if `is_checked`; elsewhere the next sets of `seat` that its process has not seen.
  Result<std::vector<int>> draw(TimedWorkload& at, Seat& seat, bool is_checked = true);
  /// The clock's time less what draw() took, which counts against no budget.
  std::int64_t now_ns() const { return site_.clock.now_ns() - drawing_ns_; }

 private:
  void choose(TimedWorkload& at) const;

  TimingSite& site_;
  std::int64_t drawing_ns_ = 0;  ///< Time spent on fresh sets and their truths.
};

}  // namespace kw::referee
