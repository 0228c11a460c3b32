// Haste: whether an evaluation is to end before it has all that it could use.
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
  /// Time counts from now. `options` and `clock` must outlive it.
  Haste(const Options& options, const MeasurePlan& plan, const platform::Clock& clock);

  /// Does what is no time of this evaluation's, such as waiting while others have the device; how
  /// long it took, in nanoseconds. Empty: nothing is done.
  Result<std::int64_t> wait_outside(const std::function<Result<>()>& wait);

  /// Somebody asked for the end: what is in progress is the last.
  bool is_hurried() const;
  /// The plan's time is over: an interval that is there is good enough.
  bool is_late() const { return is_past(1); }
  /// Twice that time is over: there will be none.
  bool is_too_late() const { return is_past(2); }

 private:
  bool is_past(std::int64_t times) const;

  const Options& options_;
  const platform::Clock& clock_;
  std::int64_t wall_ns_;  ///< 0: no bound.
  std::int64_t began_ns_;
};

/// How a hurried evaluation ends; `at` says what it was about to do.
Verdict interrupted(const std::string& at);

}  // namespace kw::referee
