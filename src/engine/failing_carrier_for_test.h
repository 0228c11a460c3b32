// A carrier that loses its worker once, for tests of runs that fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "evaluate/carrier.h"

namespace kw::engine {

/// Lets its `nth` evaluation (from 1) fail once.
class FailingCarrier final : public evaluate::Carrier {
 public:
  FailingCarrier(evaluate::Carrier& inner, int nth, Advice advice)
      : inner_(inner), left_(nth), advice_(advice) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override { return inner_.submit(std::move(request)); }
  Result<Evaluation> next() override {
    auto evaluation = inner_.next();
    if (--left_ == 0)
      return fail(ErrorCode::Ended, About{"worker"}, "the worker is gone", "carrier", advice_);
    return evaluation;
  }
  bool has_failed() const { return left_ <= 0; }

 private:
  evaluate::Carrier& inner_;
  int left_;
  Advice advice_;
};

}  // namespace kw::engine
