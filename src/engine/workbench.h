// What a run works on: it turns ideas at points of their knobs into evaluation requests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/evaluation.h"
#include "search/types.h"

namespace kw::engine {

class Workbench {
 public:
  virtual ~Workbench() = default;

  /// Ideas from simple to best; the strategy refers to them by index.
  virtual const std::vector<search::Idea>& ideas() const = 0;
  /// The candidate of idea `idea` at one point of its tuning space.
  virtual Result<Candidate> candidate(int idea, const KnobPoint& knobs) const = 0;
  /// The opponents, the sequential reference first.
  virtual const std::vector<Candidate>& baselines() const = 0;
  /// The task's family; empty: unknown. Some strategies choose techniques by it.
  virtual std::string family() const { return {}; }
  /// Which points of a source's space the target can run at all; empty: all that its header allows.
  virtual search::Validity fits(const Candidate&) const { return {}; }
  /// A self-contained request; a null `opponent`: the candidate is measured alone. The caller sets
  /// purpose, fidelity, seed and id.
  virtual Result<EvaluationRequest> request(const Candidate& candidate,
                                            const Candidate* opponent) const = 0;
};

}  // namespace kw::engine
