// Answers evaluation requests from a landscape.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/synthetic.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kw::evaluate {
namespace {

constexpr double kBaselineNs = 1e6;

}  // namespace

int synthetic_idea(const std::string& name) {
  constexpr std::string_view prefix = "idea-";
  int index = -1;
  if (name.starts_with(prefix))
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), index);
  return index;
}

Result<DeviceFacts> SyntheticCarrier::open(const std::optional<DeviceFacts>&) {
  DeviceFacts facts;
  facts.id = "synthetic";
  facts.model = "synthetic landscape";
  facts.cores = 1;
  return facts;
}

Result<> SyntheticCarrier::submit(EvaluationRequest request) {
  waiting_.push_back(std::move(request));
  return {};
}

double SyntheticCarrier::speedup_of(const Candidate& candidate) const {
  const int idea = synthetic_idea(candidate.name);
  return idea < 0 ? 1 : landscape_.truth(idea, candidate.knobs).speedup;
}

Result<Evaluation> SyntheticCarrier::next() {
  if (waiting_.empty())
    return fail(ErrorCode::WrongState, "no evaluation was submitted, so there is none to wait for",
                "synthetic carrier");
  const EvaluationRequest request = std::move(waiting_.front());
  waiting_.pop_front();
  if (pause_ > pause_.zero()) platform::real_clock().sleep_for(pause_);

  Evaluation e;
  e.id = request.id;
  e.device = "synthetic";
  e.machine = "synthetic landscape";
  const int idea = synthetic_idea(request.candidate.name);
  search::LandscapePoint point;
  point.speedup = 1;
  if (idea >= 0)
    point = landscape_.measure(idea, request.candidate.knobs, request.measure.fidelity,
                               request.measure.purpose == Purpose::Confirm ? 1 : 0);
  e.verdict = make_verdict(Stage::Measure, point.outcome, {.kind = EvidenceKind::Synthetic});
  if (!e.verdict.is_correct()) return e;

  const double against = speedup_of(request.opponent);
  const double ratio = point.speedup / std::max(against, 1e-9);
  const double half_width = 0.01 / std::sqrt(std::max(request.measure.fidelity, 0.01));
  e.speedup = {ratio, ratio * (1 - half_width), ratio * (1 + half_width),
               0.995, request.opponent.name,    0.002,
               false};
  e.speedup.is_faster = e.speedup.low > 1.005;
  WorkloadResult w;
  w.name = "synthetic";
  w.group = Group::Time;
  w.median_ns = kBaselineNs / point.speedup;
  w.opponent_ns = kBaselineNs / std::max(against, 1e-9);
  w.speedup = e.speedup;
  e.roofline_fraction = std::min(1.0, point.speedup / best_);
  e.workloads.push_back(std::move(w));
  return e;
}

}  // namespace kw::evaluate
