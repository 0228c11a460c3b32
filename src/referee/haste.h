// Haste: whether an evaluation is to end before it has everything that it could use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "platform/clock.h"
#include "record/evaluation.h"
#include "referee/referee.h"

namespace kw::referee {

class Haste {
 public:
  /// Time counts from construction. `options` and `clock` must outlive the object.
  Haste(const Options& options, const MeasureRequest& measure, const platform::Clock& clock);

  /// Runs `wait`, such as waiting while others have the device, without counting its time. Returns
  /// how long it took, in nanoseconds; an empty function does nothing.
  Result<std::int64_t> wait_outside(const std::function<Result<>()>& wait);

  /// Whether somebody asked for the end of the evaluation: the step in progress is then its last
  /// one.
  bool is_hurried() const;
  /// Whether the plan's time is over: the evaluation then ends as soon as it knows an interval.
  bool is_late() const { return is_past(1); }
  /// Whether twice the plan's time is over: the evaluation then ends even without an interval.
  bool is_too_late() const { return is_past(2); }

 private:
  bool is_past(std::int64_t times) const;

  const Options& options_;
  const platform::Clock& clock_;
  std::int64_t wall_ns_;  ///< Time that the plan allows, in ns; 0: no limit.
  std::int64_t began_ns_;
};

/// The verdict on an evaluation that was ended on request; `at` says what it was about to do.
Verdict interrupted(Evidence at);

}  // namespace kw::referee
