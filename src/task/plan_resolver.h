// Walks over the tree of a launch plan and creates the plan's steps; used by plan_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

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
  /// A sequence of steps that run one after the other, and what its next step must wait for.
  struct Branch {
    int id = 0;
    int last = -1;  ///< The latest step of the branch.
    /// Steps of other branches for which the next step of this branch must wait.
    std::set<int> pending;
    std::size_t at = 0;  ///< Byte of the source at which the branch was forked.

    std::set<int> tails() const;
  };

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
  Planned<> add_step(PlanStep step, std::size_t at);
  /// Adds the only step of a host launcher, whose arguments are the task's, followed by the
  /// workspaces.
  Planned<> add_call();

  // Workspaces, tables, fills and copies, resolved in plan_memory.cc.
  Planned<> visit(const WorkspaceNode& node, std::size_t at);
  Planned<> visit(const TableNode& node, std::size_t at);
  Planned<> visit(const FillNode& node, std::size_t at);
  Planned<> visit(const CopyNode& node, std::size_t at);
  Planned<> check_target(const PlanName& name, const PlanSpan& span) const;

  // Tensor maps, resolved in plan_map.cc.
  Planned<> visit(const MapNode& node, std::size_t at);
  Planned<> check_map(const MapNode& node, std::size_t at, const PlanTensorMap& map,
                      const PlanSpan& base) const;

  // Launches, resolved in plan_launch.cc.
  Planned<> visit(const LaunchNode& node, std::size_t at);
  Planned<> check_shape(const LaunchNode& node, const PlanStep& step) const;
  Planned<> add_argument(const PlanItem& item, int parameter, std::int64_t at,
                         PlanStep& step) const;
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };
  /// The size and alignment that an item takes among the kernel's arguments.
  Planned<Layout> layout(const PlanItem& item) const;
  Planned<Layout> place_items(const PlanItem& item, std::vector<std::int64_t>* offsets) const;
  Planned<PlanArgument> argument(const PlanItem& item) const;

  const CandidateHeader& header_;
  const KnobPoint& point_;
  const PlanSite& site_;
  PlanScope scope_;
  PlanScope knobs_;  ///< Macros alone, which is what template arguments may use.
  Plan plan_;
  Branch branch_;
  std::map<std::string, Branch> open_;  ///< Forks of the current block that are not joined yet.
  std::set<int> taken_ = {0};           ///< The numbers of all open branches.
  int loops_ = 0;                       ///< How many loops stand around the current directive.
  std::int64_t turns_ = 0;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace kw::task
