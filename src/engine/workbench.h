// Workbench: what a run works on; turns ideas at knob points into evaluation requests.
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

  /// From simple to best; the strategy refers to them by index.
  virtual const std::vector<search::Idea>& ideas() const = 0;
  /// Idea `idea` at one point of its space.
  virtual Result<Candidate> candidate(int idea, const KnobPoint& knobs) const = 0;
  /// Competitors, the sequential reference first.
  virtual const std::vector<Candidate>& baselines() const = 0;
  /// Of the task; empty: unknown. Some strategies choose techniques by it.
  virtual std::string family() const { return {}; }
  /// Which points of a source's space its target can run at all; empty: all that its header allows.
  virtual search::Validity fits(const Candidate&) const { return {}; }
  /// A self-contained request; `opponent` null: measure alone. Purpose, fidelity, seed and id are
  /// the caller's to set.
  virtual Result<EvaluationRequest> request(const Candidate& candidate,
                                            const Candidate* opponent) const = 0;
};

}  // namespace kw::engine
