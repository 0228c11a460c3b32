// A workbench over a landscape.
// SPDX-License-Identifier: Apache-2.0
#include "cli/synthetic_bench.h"

#include <charconv>

#include "evaluate/synthetic.h"
#include "search/landscape.h"

namespace kw::cli {
namespace {

class SyntheticWorkbench final : public engine::Workbench {
 public:
  explicit SyntheticWorkbench(const search::LandscapeOptions& options) : landscape_(options) {
    Candidate baseline;
    baseline.name = "baseline";
    baseline.origin = Origin::Baseline;
    baselines_.push_back(std::move(baseline));
  }
  const search::Landscape& landscape() const { return landscape_; }

  const std::vector<search::Idea>& ideas() const override { return landscape_.ideas(); }
  const std::vector<Candidate>& baselines() const override { return baselines_; }

  Result<Candidate> candidate(int idea, const KnobPoint& knobs) const override {
    Candidate c;
    c.name = "idea-" + std::to_string(idea);
    c.source = "// synthetic idea " + std::to_string(idea) + "\n";
    c.origin = Origin::Generic;
    c.knobs = knobs;
    return c;
  }

  Result<EvaluationRequest> request(const Candidate& candidate,
                                    const Candidate* opponent) const override {
    EvaluationRequest request;
    request.candidate = candidate;
    if (opponent != nullptr) request.opponent = *opponent;
    return request;
  }

 private:
  search::Landscape landscape_;
  std::vector<Candidate> baselines_;
};

}  // namespace

std::optional<Result<SyntheticBench>> synthetic_bench(const std::string& task) {
  constexpr std::string_view prefix = "synthetic:";
  if (!task.starts_with(prefix)) return std::nullopt;
  search::LandscapeOptions options;
  const char* end = task.data() + task.size();
  const auto parsed = std::from_chars(task.data() + prefix.size(), end, options.seed);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return fail("synthetic: wants a number, as in synthetic:7", task);
  auto workbench = std::make_unique<SyntheticWorkbench>(options);
  SyntheticBench bench;
  bench.carrier = std::make_unique<evaluate::SyntheticCarrier>(workbench->landscape());
  bench.workbench = std::move(workbench);
  return bench;
}

}  // namespace kw::cli
