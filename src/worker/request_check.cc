// Checks everything that a worker relies on in a request.
// SPDX-License-Identifier: Apache-2.0
#include "worker/request_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "device/player.h"
#include "record/bounds.h"
#include "record/coded_inputs.h"
#include "record/target.h"

namespace kw::worker {
namespace {

Result<> check_units(const EvaluationRequest& request, Wanted wanted) {
  for (const BuildUnit& unit : request.units)
    if (unit.object.size() != 1)
      return fail_input(ErrorCode::Missing, About{"object of " + unit.role},
                        "the request's unit '" + unit.role + "' was not compiled");
  std::vector<std::string> roles{"reference_f64"};
  if (wanted == Wanted::Judgement) roles.emplace_back("candidate");
  if (wanted == Wanted::Judgement && !request.opponent.source.empty())
    roles.emplace_back("opponent");
  if (request.task.has_magnitude) roles.emplace_back("magnitude_f64");
  if (std::ranges::any_of(request.workloads, has_coded_inputs)) roles.emplace_back(kCodedRole);
  for (const std::string& role : roles)
    if (request.unit(role) == nullptr)
      return fail_input(ErrorCode::Missing, About{role}, "the request has no unit '" + role + "'");
  return {};
}

/// Checks that every argument of the task's function is a tensor or scalar of every workload.
Result<> check_arguments(const EvaluationRequest& request) {
  if (request.task.signature.size() > device::kMostArguments)
    return fail_input(ErrorCode::TooLarge, About{"arguments"},
                      fmt::format("the task's function has {} arguments; at most {} can be passed",
                                  request.task.signature.size(), device::kMostArguments));
  for (const Workload& w : request.workloads)
    for (const Parameter& p : request.task.signature) {
      const Tensor* tensor = w.tensor(p.name);
      const Scalar* scalar = w.scalar(p.name);
      const bool is_there = p.is_tensor ? tensor != nullptr && tensor->dtype == p.dtype
                                        : scalar != nullptr && scalar->dtype == p.dtype;
      if (!is_there)
        return fail_input(
            ErrorCode::Missing, About{p.name},
            fmt::format("workload '{}' has no argument '{}' of its type", w.name, p.name));
    }
  return {};
}

Result<> check_memory(const EvaluationRequest& request, const DeviceFacts& facts) {
  if (facts.memory_bytes <= 0) return {};
  for (const Workload& w : request.workloads)
    if (w.bytes() > facts.memory_bytes)
      return fail_input(
          ErrorCode::NoMemory, About{w.name},
          fmt::format("the tensors of workload '{}' need {}, and the device has {} of memory",
                      w.name, format_bytes(static_cast<std::uint64_t>(w.bytes())),
                      format_bytes(static_cast<std::uint64_t>(facts.memory_bytes))));
  return {};
}

Result<> check_plans(const EvaluationRequest& request) {
  const auto has_plan = [](const BuildUnit& unit) { return row_of(unit.target).launches_by_plan; };
  if (std::ranges::any_of(request.units, has_plan) && request.gpu.size() != 1)
    return fail_input(ErrorCode::Missing, About{"gpu"},
                      "the request does not name the one GPU whose limits its plans keep to");
  for (const BuildUnit& unit : request.units)
    for (const Workload& w : request.workloads)
      if (has_plan(unit) && request.plan(unit.role, w.name) == nullptr)
        return fail_input(ErrorCode::Missing, About{"plan of " + unit.role},
                          fmt::format("the request has no launch plan of '{}' for workload '{}'",
                                      unit.role, w.name));
  return {};
}

}  // namespace

Result<> check_judgeable(const EvaluationRequest& request, const DeviceFacts& facts,
                         Wanted wanted) {
  KW_TRY(check_request(request));
  KW_TRY(check_units(request, wanted));
  KW_TRY(check_arguments(request));
  KW_TRY(check_memory(request, facts));
  return check_plans(request);
}

}  // namespace kw::worker
