// The synthetic carrier: evaluations answered from a landscape, without worker, device or compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "evaluate/carrier.h"
#include "platform/clock.h"
#include "search/landscape.h"

namespace kw::evaluate {

/// For tests of the loop and for comparing strategies. A candidate named "idea-<i>" stands for idea
/// i of the landscape at its knobs; anything else is the baseline, at speedup 1. Deterministic.
class SyntheticCarrier final : public Carrier {
 public:
  /// `landscape` must outlive the carrier.
  /// `pause`: what each judgement takes, for who watches or steers a run.
  explicit SyntheticCarrier(const search::Surface& landscape,
                            platform::Nanoseconds pause = platform::Nanoseconds::zero())
      : landscape_(landscape), best_(landscape.best()), pause_(pause) {}

  Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) override;
  Result<> submit(EvaluationRequest request) override;
  Result<Evaluation> next() override;

 private:
  double speedup_of(const Candidate& candidate) const;
  const search::Surface& landscape_;
  double best_;  ///< Of the landscape: to find it is to look everywhere.
  platform::Nanoseconds pause_;
  std::deque<EvaluationRequest> waiting_;
};

/// The idea that a candidate's name stands for; -1: none.
int synthetic_idea(const std::string& name);

}  // namespace kw::evaluate
