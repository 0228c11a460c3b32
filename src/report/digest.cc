// Sums up the attempts of a run for tables and plots.
// SPDX-License-Identifier: Apache-2.0
#include "report/digest.h"

#include <algorithm>

namespace kw::report {

void Digest::add(const AttemptLine& line) {
  ++attempts;
  if (line.outcome_class == OutcomeClass::Failed) ++failed;
  if (line.outcome_class == OutcomeClass::NewBest) bests.push_back({line.number, line.speedup});
  if (line.speedup > 0) {
    slowest = std::min(slowest, line.speedup);
    fastest = std::max(fastest, line.speedup);
  }
  if (!line.device.empty()) devices.insert(line.device);
  const auto [known, is_new] = best_of_idea_.try_emplace(line.name, line);
  if (!is_new && line.speedup > known->second.speedup) known->second = line;
  if (best_of_idea_.size() <= kMostIdeas) return;
  // Memory is bounded by removing the kernel (idea) whose best attempt is slowest. If a removed
  // kernel later has an attempt that is among the fastest, this attempt is also the kernel's best,
  // so nothing is lost.
  has_more_ideas_ = true;
  auto slowest_idea = best_of_idea_.begin();
  for (auto at = best_of_idea_.begin(); at != best_of_idea_.end(); ++at)
    if (at->second.speedup <= slowest_idea->second.speedup) slowest_idea = at;
  best_of_idea_.erase(slowest_idea);
}

std::vector<AttemptLine> Digest::ideas() const {
  std::vector<AttemptLine> order;
  for (const auto& [name, line] : best_of_idea_) order.push_back(line);
  std::stable_sort(order.begin(), order.end(), [](const AttemptLine& a, const AttemptLine& b) {
    return a.speedup > b.speedup;
  });
  return order;
}

std::vector<double> Digest::best_so_far() const {
  std::vector<double> values(static_cast<std::size_t>(attempts), 1);
  for (const Best& best : bests)
    std::fill(values.begin() + (best.attempt - 1), values.end(), best.speedup);
  return values;
}

}  // namespace kw::report
