// A workbench over a landscape, synthetic or recorded: runs without task, compiler or device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/workbench.h"
#include "search/landscape.h"

namespace kw::engine {

/// Uses the names that evaluate::SyntheticCarrier answers to. Must not move, because carriers refer
/// to its landscape.
class SyntheticWorkbench final : public Workbench {
 public:
  explicit SyntheticWorkbench(const search::LandscapeOptions& options);
  explicit SyntheticWorkbench(std::unique_ptr<const search::Surface> landscape);
  SyntheticWorkbench(const SyntheticWorkbench&) = delete;
  SyntheticWorkbench& operator=(const SyntheticWorkbench&) = delete;

  const search::Surface& landscape() const { return *landscape_; }
  const std::vector<search::Idea>& ideas() const override { return landscape_->ideas(); }
  const std::vector<Candidate>& baselines() const override { return baselines_; }
  Result<Candidate> candidate(int idea, const KnobPoint& knobs) const override;
  Result<EvaluationRequest> request(const Candidate& candidate,
                                    const Candidate* opponent) const override;

 private:
  std::unique_ptr<const search::Surface> landscape_;
  std::vector<Candidate> baselines_;
};

}  // namespace kw::engine
