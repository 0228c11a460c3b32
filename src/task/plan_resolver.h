// Walks over the tree of a launch plan and creates the plan's steps; used by plan_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "task/plan_order.h"
#include "task/plan_resolve.h"
#include "task/plan_scope.h"

namespace kw::task {

/// The kernel's name with its template arguments evaluated at a point of the knobs, such as
/// `reduce<64, 4>`.
Planned<std::string> kernel_text(const KernelName& kernel, const PlanScope& knobs);

class PlanResolver {
 public:
  PlanResolver(const CandidateHeader& header, const KnobPoint& point, const PlanSite& site);

  Planned<Plan> run();

 private:
  // Names, blocks and branches, resolved in plan_resolve.cc.
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

  // Workspaces, tables, fills and copies, resolved in plan_memory.cc.
  Planned<> visit(const WorkspaceNode& node, std::size_t at);
  Planned<> visit(const TableNode& node, std::size_t at);
  Planned<> visit(const FillNode& node, std::size_t at);
  Planned<> visit(const CopyNode& node, std::size_t at);

  // Tensor maps, resolved in plan_map.cc.
  Planned<> visit(const MapNode& node, std::size_t at);

  // Launches, resolved in plan_launch.cc.
  Planned<> visit(const LaunchNode& node, std::size_t at);

  const CandidateHeader& header_;
  const KnobPoint& point_;
  const PlanSite& site_;
  PlanScope scope_;
  PlanScope knobs_;  ///< Macros alone, which is what template arguments may use.
  Plan plan_;
  PlanOrder order_;
  int loops_ = 0;  ///< How many loops stand around the current directive.
  std::int64_t turns_ = 0;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace kw::task
