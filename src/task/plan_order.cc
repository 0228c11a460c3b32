// Gives the steps of a launch plan their branches and what they wait for.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_order.h"

#include <fmt/format.h>

#include <utility>

namespace kw::task {
namespace {

constexpr std::size_t kMaxOpenForks = 8;  // the number of queues that a CUDA context has by default

}  // namespace

std::set<int> PlanOrder::Branch::tails() const {
  auto all = pending;
  if (last >= 0) all.insert(last);
  return all;
}

PlanOrder::Forks PlanOrder::begin_block() { return std::exchange(open_, {}); }

Planned<> PlanOrder::end_block(Forks outer) {
  if (!open_.empty())
    return trouble(
        open_.begin()->second.at, PlanFlaw::Missing, About{"join " + open_.begin()->first},
        fmt::format("the branch '{}' is forked in this block and not joined in the same block",
                    open_.begin()->first));
  open_ = std::move(outer);
  return {};
}

Planned<PlanOrder::Branch> PlanOrder::begin_fork(const ForkNode& node, std::size_t at) {
  if (open_.contains(node.name))
    return trouble(at, PlanFlaw::Repeated, About{"fork " + node.name},
                   fmt::format("the branch '{}' is forked twice before it is joined", node.name));
  Branch parent = std::move(branch_);
  branch_ = {.id = 0, .last = -1, .pending = parent.tails()};
  // The branch gets the smallest free number; branches of enclosing blocks that are still open keep
  // theirs.
  while (!taken_.insert(branch_.id).second) ++branch_.id;
  if (taken_.size() > kMaxOpenForks + 1)
    return trouble(
        at, PlanFlaw::TooMany, About{"branches"},
        worded("more than {} branches of the plan are open at the same time", kMaxOpenForks));
  return parent;
}

void PlanOrder::end_fork(const ForkNode& node, std::size_t at, Branch parent) {
  branch_.at = at;
  open_[node.name] = std::move(branch_);
  branch_ = std::move(parent);
}

Planned<> PlanOrder::join(const JoinNode& node, std::size_t at) {
  const auto found = open_.find(node.name);
  if (found == open_.end())
    return trouble(
        at, PlanFlaw::Missing, About{"fork " + node.name},
        fmt::format("the branch '{}' is joined, but was not forked in this block", node.name));
  for (const int step : found->second.tails()) branch_.pending.insert(step);
  taken_.erase(found->second.id);
  open_.erase(found);
  return {};
}

Planned<> PlanOrder::add(PlanStep step, std::size_t at) {
  if (steps_.size() == kMostPlanSteps)
    return trouble(at, PlanFlaw::TooMany, About{"steps"},
                   worded("the plan has more than {} steps", kMostPlanSteps));
  const bool is_behind_launch =
      branch_.last >= 0 && branch_.pending.empty() &&
      steps_[static_cast<std::size_t>(branch_.last)].kind == StepKind::Launch;
  step.programmatic = step.programmatic && is_behind_launch;
  step.branch = branch_.id;
  step.written_at = at;
  for (const int other : branch_.pending)
    if (steps_[static_cast<std::size_t>(other)].branch != branch_.id) step.after.push_back(other);
  branch_.pending.clear();
  branch_.last = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
  return {};
}

}  // namespace kw::task
