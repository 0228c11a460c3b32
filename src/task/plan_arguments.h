// Turns the arguments of a plan's launches into bytes; used by plan_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "task/plan_resolve.h"
#include "task/plan_scope.h"

namespace kw::task {

/// Resolves the arguments of launches in a scope; both references are borrowed.
class LaunchArguments {
 public:
  LaunchArguments(const PlanScope& scope, const Workload& workload)
      : scope_(scope), workload_(workload) {}

  /// Adds the arguments of a launch to its step. The plan is at fault if an argument has no value,
  /// does not fit its type, or if all of them are more than a kernel can take.
  Planned<> add(const std::vector<PlanItem>& items, PlanStep& step) const;

 private:
  /// The size and alignment that an item takes among the kernel's arguments, in bytes.
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };
  Planned<Layout> layout(const PlanItem& item) const;
  Planned<Layout> place_items(const PlanItem& item, std::vector<std::int64_t>* offsets) const;
  /// Adds an item that begins at byte `at` of its parameter.
  Planned<> add_item(const PlanItem& item, int parameter, std::int64_t at, PlanStep& step) const;
  Planned<PlanArgument> value(const PlanItem& item) const;

  const PlanScope& scope_;
  const Workload& workload_;
};

/// The only step of a host launcher, whose arguments are the task's, followed by the addresses of
/// so many workspaces.
PlanStep call_step(const PlanSite& site, std::size_t workspaces);

}  // namespace kw::task
