// The synthetic carrier: answers evaluations from a landscape, without worker, device or compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "evaluate/carrier.h"
#include "platform/clock.h"
#include "search/landscape.h"

namespace kw::evaluate {

/// A judge for tests of the loop and for comparing strategies. A candidate named "idea-<i>" stands
/// for idea i of the landscape at its knobs; any other is the baseline, with speedup 1.
/// Deterministic.
class SyntheticCarrier final : public Carrier {
 public:
  /// `landscape` must outlive the carrier. `pause`: time that each judgement takes, for tests that
  /// watch or steer a run.
  explicit SyntheticCarrier(const search::Surface& landscape,
                            platform::Nanoseconds pause = platform::Nanoseconds::zero())
      : landscape_(landscape), best_(landscape.best()), pause_(pause) {}

  Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) override;
  Result<> submit(EvaluationRequest request) override;
  Result<Evaluation> next() override;

 private:
  double speedup_of(const Candidate& candidate) const;
  const search::Surface& landscape_;
  /// Best speedup of the landscape, stored since finding it means looking everywhere.
  double best_;
  platform::Nanoseconds pause_;
  std::deque<EvaluationRequest> waiting_;
};

/// Index of the idea that a candidate's name stands for; -1: none.
int synthetic_idea(const std::string& name);

}  // namespace kw::evaluate
