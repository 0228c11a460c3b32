// The walk over a plan's tree that makes the plan's steps; used by plan_*.cc only.
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

/// The kernel's name at a point of the knobs, as `reduce<64, 4>`.
Planned<std::string> kernel_text(const KernelName& kernel, const PlanScope& knobs);

class PlanResolver {
 public:
  PlanResolver(const CandidateHeader& header, const KnobPoint& point, const PlanSite& site);

  Planned<Plan> run();

 private:
  /// A sequence of steps, and what its next step must wait for.
  struct Branch {
    int id = 0;
    int last = -1;  ///< The latest step of the branch.
    /// Steps of other branches that the next step of this branch waits for.
    std::set<int> pending;
    std::size_t at = 0;  ///< Byte of the source at which the branch was forked.

    std::set<int> tails() const;
  };

  // plan_resolve.cc resolves names, blocks and branches.
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
  /// Adds the only step of a host launcher: the task's arguments, then the workspaces.
  Planned<> add_call();

  // plan_memory.cc resolves workspaces, tables, fills and copies.
  Planned<> visit(const WorkspaceNode& node, std::size_t at);
  Planned<> visit(const TableNode& node, std::size_t at);
  Planned<> visit(const FillNode& node, std::size_t at);
  Planned<> visit(const CopyNode& node, std::size_t at);
  Planned<> check_target(const PlanName& name, const PlanSpan& span) const;

  // plan_map.cc resolves tensor maps.
  Planned<> visit(const MapNode& node, std::size_t at);
  Planned<> check_map(const MapNode& node, std::size_t at, const PlanTensorMap& map,
                      const PlanSpan& base) const;

  // plan_launch.cc resolves launches.
  Planned<> visit(const LaunchNode& node, std::size_t at);
  Planned<> check_shape(const LaunchNode& node, const PlanStep& step) const;
  Planned<> add_argument(const PlanItem& item, int parameter, std::int64_t at,
                         PlanStep& step) const;
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };
  /// The room that an item takes.
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
