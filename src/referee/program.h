// What a player is to run: an object and, where the device runs launch plans, its plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "record/evaluation.h"

namespace kw::referee {

/// A built program as a player runs it. On cpu its entry is called with the task's arguments; on
/// cuda the plan of the current workload is bound once and then runs.
struct Program {
  std::string role;  ///< BuildUnit::role; appears in messages.
  Target target = kDefaultTarget;
  BuiltObject object;
  std::map<std::string, Plan> plans;  ///< By name of the workload; cuda only.

  const Plan* plan(const std::string& workload) const;
  /// Equal for programs that do the same: made from the object's content and every plan's content.
  std::string identity() const;
};

/// The program of the unit with this role and its plans; nothing where the request has no such unit
/// that is built.
std::optional<Program> program_of(const EvaluationRequest& request, std::string_view role);

}  // namespace kw::referee
