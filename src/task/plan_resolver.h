// The walk over a plan's tree that makes its steps; used by plan_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/plan.h"
#include "task/plan_scope.h"

namespace kw::task {

/// Name of the kernel at a point of the knobs: `reduce<64, 4>`.
Planned<std::string> kernel_text(const KernelName& kernel, const PlanScope& knobs);

class PlanResolver {
 public:
  PlanResolver(const CandidateHeader& header, const KnobPoint& point, const PlanSite& site);

  Planned<Plan> run();

 private:
  /// Steps that whatever comes next must wait for.
  struct Branch {
    int id = 0;
    int last = -1;          ///< Its latest step.
    std::set<int> pending;  ///< Steps of other branches that its next one waits for.
    std::size_t at = 0;     ///< Where it was forked.

    std::set<int> tails() const;
  };

  // plan_resolve.cc: names, blocks, branches
  Planned<> define_names();
  Planned<> run_block(const PlanBlock& block);
  Planned<> run_scope(const PlanBlock& block);
  Planned<> visit(const LetNode& node, std::size_t at);
  Planned<> visit(const RequireNode& node, std::size_t at);
  Planned<> visit(const ForNode& node, std::size_t at);
  Planned<> visit(const WhenNode& node, std::size_t at);
  Planned<> visit(const ForkNode& node, std::size_t at);
  Planned<> visit(const JoinNode& node, std::size_t at);
  Planned<> turn(const ForNode& node, std::size_t at, std::int64_t value, const PlanBlock& block);
  Planned<> add_step(PlanStep step, std::size_t at);
  /// The one step of a host launcher: the task's arguments, then the workspaces.
  Planned<> add_call();

  // plan_memory.cc: workspaces, tables, fills, copies
  Planned<> visit(const WorkspaceNode& node, std::size_t at);
  Planned<> visit(const TableNode& node, std::size_t at);
  Planned<> visit(const FillNode& node, std::size_t at);
  Planned<> visit(const CopyNode& node, std::size_t at);
  Planned<> check_target(const PlanName& name, const PlanSpan& span) const;

  // plan_map.cc
  Planned<> visit(const MapNode& node, std::size_t at);
  Planned<> check_map(const MapNode& node, std::size_t at, const PlanTensorMap& map,
                      const PlanSpan& base) const;

  // plan_launch.cc
  Planned<> visit(const LaunchNode& node, std::size_t at);
  Planned<> check_shape(const LaunchNode& node, const PlanStep& step) const;
  Planned<> add_argument(const PlanItem& item, int parameter, std::int64_t at,
                         PlanStep& step) const;
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };
  /// Room that an item takes, and where its own items begin.
  Planned<Layout> layout(const PlanItem& item) const;
  Planned<Layout> place_items(const PlanItem& item, std::vector<std::int64_t>* offsets) const;
  Planned<PlanArgument> argument(const PlanItem& item) const;

  const CandidateHeader& header_;
  const KnobPoint& point_;
  const PlanSite& site_;
  PlanScope scope_;
  PlanScope knobs_;  ///< Macros alone: what template arguments may use.
  Plan plan_;
  Branch branch_;
  std::map<std::string, Branch> open_;  ///< Forks of this block that are not joined.
  std::set<int> taken_ = {0};           ///< Numbers of all branches that are open.
  int loops_ = 0;                       ///< Around the directive at hand.
  std::int64_t turns_ = 0;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace kw::task
