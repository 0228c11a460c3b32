// What a player is to run: an object and, where the device runs launch plans, its plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "record/evaluation.h"

namespace kw::referee {

/// A built unit as a leg runs it. On cpu its entry is called with the task's arguments; on cuda the
/// plan of the workload at hand is bound once and then runs.
struct Program {
  std::string role;  ///< As BuildUnit::role; for messages.
  Target target = Target::Cpu;
  BuiltObject object;
  std::map<std::string, Plan> plans;  ///< By workload; cuda alone.

  const Plan* plan(const std::string& workload) const;
  /// Equal for programs that do the same: the object by content, and what every plan says.
  std::string identity() const;
};

/// The unit of this role with its plans; nothing where the request has none that is built.
std::optional<Program> program_of(const EvaluationRequest& request, std::string_view role);

}  // namespace kw::referee
