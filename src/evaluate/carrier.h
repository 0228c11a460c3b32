// Carrier: how an evaluation reaches something that can judge it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::evaluate {

/// Takes requests, gives evaluations back in the order of the requests.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Makes the judge ready. `remembered` are facts measured earlier (ceilings); a judge on another
  /// device ignores them. Call once, first.
  virtual Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) = 0;

  /// Hands in a request; may build its units first. Errors are of the environment or of the task.
  virtual Result<> submit(EvaluationRequest request) = 0;

  /// The evaluation of the oldest request not yet answered; blocks. An error is never about the
  /// candidate: the run cannot go on.
  virtual Result<Evaluation> next() = 0;

  /// From now on an evaluation that is awaited ends after the step in progress once this says so,
  /// as (measure, unmeasurable), where the judge can be reached at all. Asked often.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever overrides it keeps it
  virtual void hurry_when(std::function<bool()> /*is_hurried*/) {}

  /// How long the judge has waited for its device so far, in nanoseconds, while an answer was
  /// awaited: time that no budget should count.
  virtual std::int64_t waited_ns() const { return 0; }

  /// submit() and next(), for callers with nothing else in flight.
  Result<Evaluation> evaluate(EvaluationRequest request) {
    KW_TRY(submit(std::move(request)));
    return next();
  }
};

}  // namespace kw::evaluate
