// A carrier that remembers its requests, for tests of what a run asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "evaluate/carrier.h"

namespace kw::engine {

/// Remembers the requests that it gets.
class RecordingCarrier final : public evaluate::Carrier {
 public:
  explicit RecordingCarrier(evaluate::Carrier& inner) : inner_(inner) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>& f) override { return inner_.open(f); }
  Result<> submit(EvaluationRequest request) override {
    asked.push_back({request.measure.purpose, request.inspect.profile, request.inspect.of_slower});
    return inner_.submit(std::move(request));
  }
  Result<Evaluation> next() override { return inner_.next(); }

  struct Asked {
    Purpose purpose;
    bool profiles;
    bool of_slower;
  };
  std::vector<Asked> asked;

 private:
  evaluate::Carrier& inner_;
};

}  // namespace kw::engine
