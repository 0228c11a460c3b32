// Turns reports of runs into report data.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/run_data.h"

#include "task/header.h"

namespace kw::session {

report::RunData run_data(engine::RunReport report, const DeviceFacts& device) {
  report::RunData data;
  data.run = std::move(report.run);
  for (const engine::BaselineStanding& b : report.baselines)
    data.baselines.push_back({b.candidate.name, b.mean_ns,
                              b.mean_ns > 0 ? "" : engine::failure_words(b),
                              pinned_source(b.candidate), b.candidate.trust_class});
  data.baseline = std::move(report.baseline);
  data.best = std::move(report.best);
  data.confirmation = std::move(report.confirmation);
  data.terms = std::move(report.terms);
  data.device = device;
  if (data.best) data.best_source = pinned_source(data.best->candidate);
  return data;
}

std::string pinned_source(const Candidate& candidate) {
  const auto header = task::parse_header(candidate);
  const bool is_fitting = header && header->is_valid(candidate.knobs);
  return is_fitting ? task::pin_knobs(candidate.source, *header, candidate.knobs)
                    : candidate.source;
}

}  // namespace kw::session
