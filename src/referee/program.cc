// Collects a role's object and plans from a request.
// SPDX-License-Identifier: Apache-2.0
#include "referee/program.h"

#include "record/codec.h"

namespace kw::referee {

const Plan* Program::plan(const std::string& workload) const {
  const auto found = plans.find(workload);
  return found == plans.end() ? nullptr : &found->second;
}

std::string Program::identity() const {
  std::string all = object.sha256;
  for (const auto& [workload, plan] : plans)
    all += "\n" + encode(RolePlan{.role = {}, .workload = workload, .plan = plan});
  return all;
}

std::optional<Program> program_of(const EvaluationRequest& request, std::string_view role) {
  const BuildUnit* unit = request.unit(std::string(role));
  if (unit == nullptr || unit->object.empty()) return std::nullopt;
  Program program{
      .role = unit->role, .target = unit->target, .object = unit->object.front(), .plans = {}};
  for (const RolePlan& of : request.plans)
    if (of.role == role) program.plans.emplace(of.workload, of.plan);
  return program;
}

}  // namespace kw::referee
