// Makes candidates and requests from the ideas of a landscape.
// SPDX-License-Identifier: Apache-2.0
#include "engine/synthetic_workbench.h"

#include <utility>

#include "base/hash.h"

namespace kw::engine {

SyntheticWorkbench::SyntheticWorkbench(const search::LandscapeOptions& options)
    : SyntheticWorkbench(std::make_unique<search::Landscape>(options)) {}

SyntheticWorkbench::SyntheticWorkbench(std::unique_ptr<const search::Surface> landscape)
    : landscape_(std::move(landscape)) {
  Candidate baseline;
  baseline.name = "baseline";
  baseline.origin = Origin::Baseline;
  baselines_.push_back(std::move(baseline));
}

namespace {

/// A header like that of a real candidate, so that knobs can be pinned.
std::string tune_lines(const search::KnobSpace& space) {
  std::string text;
  for (const search::KnobAxis& knob : space.knobs()) {
    text += "// kw: tune " + knob.name + " =";
    for (std::size_t i = 0; i < knob.values.size(); ++i)
      text += (i == 0 ? " " : ", ") + std::to_string(knob.values[i]);
    text += "\n";
  }
  return text;
}

}  // namespace

Result<Candidate> SyntheticWorkbench::candidate(int idea, const KnobPoint& knobs) const {
  Candidate c;
  c.name = "idea-" + std::to_string(idea);
  c.source = "// synthetic idea " + std::to_string(idea) + "\n" +
             tune_lines(ideas()[static_cast<std::size_t>(idea)].space);
  c.sha256 = sha256(c.source).hex();
  c.origin = Origin::Generic;
  c.knobs = knobs;
  return c;
}

Result<EvaluationRequest> SyntheticWorkbench::request(const Candidate& candidate,
                                                      const Candidate* opponent) const {
  EvaluationRequest request;
  request.candidate = candidate;
  if (opponent != nullptr) request.opponent = *opponent;
  return request;
}

}  // namespace kw::engine
