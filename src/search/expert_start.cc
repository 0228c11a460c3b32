// Decides which expert kernels a strategy tries before it asks for sources.
// SPDX-License-Identifier: Apache-2.0
#include "search/expert_start.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kw::search {
namespace {

/// The most expert kernels that are tried: the last of the list, which are the most advanced.
constexpr std::size_t kMostStarts = 3;

}  // namespace

ExpertStart::ExpertStart(std::vector<Idea> ideas, const StrategyOptions& options)
    : ideas_(std::move(ideas)),
      asks_(options.start_asks),
      tuning_asks_(std::min(options.start_asks, options.exhaustive_up_to)) {
  const std::size_t most = std::min(kMostStarts, asks_);
  for (std::size_t i = ideas_.size(); i-- > 0 && starts_.size() < most;)
    if (ideas_[i].is_expert) starts_.insert(starts_.begin(), static_cast<int>(i));
}

bool ExpertStart::has_next(const std::set<int>& closed) {
  while (next_ < starts_.size() && closed.contains(starts_[next_])) ++next_;
  return next_ < starts_.size();
}

std::string ExpertStart::describe() const {
  return next_ < starts_.size() ? fmt::format("expert kernel {} of {}", next_ + 1, starts_.size())
                                : std::string();
}

Ask ExpertStart::next() {
  const int index = starts_.at(next_++);
  const Idea& idea = ideas_[static_cast<std::size_t>(index)];
  Ask ask;
  ask.idea = index;
  ask.knobs = idea.space.first();
  ask.why =
      fmt::format("start from what experts made, {} of {}: {}", next_, starts_.size(), idea.name);
  return ask;
}

void ExpertStart::observe(const Ask& ask, const Tell& tell) {
  if (!tell.is_correct() || tell.merit <= fastest_.merit) return;
  fastest_ = tell;
  fastest_.idea = ask.idea;
  fastest_.written = ideas_[static_cast<std::size_t>(ask.idea)];
}

bool ExpertStart::tune_fastest(WrittenTuning& tuning, double best) const {
  const std::size_t left = asks_ - std::min(asks_, starts_.size());
  return tuning.start(fastest_, best, std::min(left, tuning_asks_));
}

}  // namespace kw::search
