// Carrier: brings evaluations to something that can judge them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::evaluate {

/// Takes requests and gives evaluations in the order of the requests.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Makes the judge ready. `remembered` are facts measured earlier (ceilings), which a judge on
  /// another device ignores. Call once, first.
  virtual Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) = 0;

  /// Submits a request, and may build its units first. Errors are about the environment or the
  /// task.
  virtual Result<> submit(EvaluationRequest request) = 0;

  /// Waits for the evaluation of the oldest request that is not answered yet. An error is never
  /// about the candidate: the run cannot go on.
  virtual Result<Evaluation> next() = 0;

  /// From now on, an awaited evaluation ends after the step in progress once `is_hurried` is true,
  /// as (measure, unmeasurable), if the judge can be reached. The function is called often.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overriding functions keep it
  virtual void hurry_when(std::function<bool()> /*is_hurried*/) {}

  /// How long, in nanoseconds, the judge has waited for its device while an answer was awaited:
  /// time that no budget should count.
  virtual std::int64_t waited_ns() const { return 0; }

  /// Calls submit() and next(), for callers with nothing else in flight.
  Result<Evaluation> evaluate(EvaluationRequest request) {
    KW_TRY(submit(std::move(request)));
    return next();
  }
};

}  // namespace kw::evaluate
