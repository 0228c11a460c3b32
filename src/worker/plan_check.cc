// Checking of launches against kernels.
// SPDX-License-Identifier: Apache-2.0
#include "worker/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace kw::worker {
namespace {

PlanFault fault(Outcome outcome, const std::string& text) {
  return {{Stage::Launch, outcome, text}, {"resource", 0, text, "", ""}};
}

std::optional<PlanFault> misfit(const std::string& kernel, const std::string& what) {
  return fault(Outcome::LaunchFailed, fmt::format("launch of '{}': {}", kernel, what));
}

/// Every parameter gets its bytes, and no argument is left over.
std::optional<PlanFault> check_arguments(const PlanStep& step, const KernelFacts& kernel) {
  const std::size_t wanted = kernel.parameters.size();
  std::vector<std::vector<const PlanArgument*>> values(wanted);
  for (const PlanArgument& a : step.arguments) {
    const auto parameter = static_cast<std::size_t>(a.parameter);
    if (parameter >= wanted)
      return misfit(step.kernel,
                    fmt::format("it passes {} arguments, the kernel has {} parameter{}",
                                parameter + 1, wanted, wanted == 1 ? "" : "s"));
    values[parameter].push_back(&a);
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (values[i].empty())
      return misfit(step.kernel, fmt::format("the kernel has {} parameters, argument {} is missing",
                                             wanted, i + 1));
    const std::int64_t bytes = kernel.parameters[i].bytes;
    std::int64_t end = 0;
    for (const PlanArgument* a : values[i]) end = std::max(end, a->at + a->bytes);
    // Structs may end in padding.
    const bool is_plain = values[i].size() == 1 && bytes <= 8;
    if (end > bytes || (is_plain && end != bytes))
      return misfit(step.kernel,
                    fmt::format("argument {} has {} bytes, the kernel's parameter {}; write its "
                                "type, as in i64( ) or f32( )",
                                i + 1, end, bytes));
  }
  return std::nullopt;
}

std::string no_such_kernel(const std::string& name, const BuildUnit& unit) {
  std::vector<std::string> built;
  for (const KernelFacts& kernel : unit.object.front().kernels) built.push_back(kernel.name);
  return fmt::format("the compiled code has no such kernel{}; a plain name needs extern \"C\"",
                     suggestion(name, built));
}

std::optional<PlanFault> check_limits(const PlanStep& step, const KernelFacts& kernel,
                                      const GpuFacts* gpu) {
  const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
  if (kernel.max_threads > 0 && threads > kernel.max_threads)
    return fault(
        Outcome::OutOfResources,
        fmt::format("launch of '{}': a block of {} threads, its __launch_bounds__ allow {}",
                    step.kernel, threads, kernel.max_threads));
  if (gpu == nullptr) return std::nullopt;
  // Registers are handed out to warps in units of 256.
  const std::int64_t a_warp = (kernel.registers * std::int64_t{32} + 255) / 256 * 256;
  const std::int64_t registers = (threads + 31) / 32 * a_warp;
  if (gpu->registers_per_block > 0 && registers > gpu->registers_per_block)
    return fault(
        Outcome::OutOfResources,
        fmt::format("launch of '{}': {} threads of {} registers are more than the {} that "
                    "a block has; give it __launch_bounds__({}) or fewer threads",
                    step.kernel, threads, kernel.registers, gpu->registers_per_block, threads));
  const std::int64_t shared = step.shared_bytes + kernel.static_shared;
  if (gpu->shared_per_block > 0 && shared > gpu->shared_per_block)
    return fault(
        Outcome::OutOfResources,
        fmt::format("launch of '{}': {} of dynamic and {} of static shared memory, a block "
                    "has {}",
                    step.kernel, format_bytes(static_cast<std::uint64_t>(step.shared_bytes)),
                    format_bytes(static_cast<std::uint64_t>(kernel.static_shared)),
                    format_bytes(static_cast<std::uint64_t>(gpu->shared_per_block))));
  return std::nullopt;
}

}  // namespace

std::optional<PlanFault> check_plans(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const GpuFacts* gpu) {
  if (unit.target == Target::Cpu || unit.object.empty() || unit.object.front().kernels.empty())
    return std::nullopt;
  for (const RolePlan& plan : plans) {
    if (plan.role != unit.role) continue;
    for (const PlanStep& step : plan.plan.steps) {
      if (step.kind != StepKind::Launch) continue;
      const KernelFacts* kernel = unit.object.front().kernel(step.kernel);
      if (kernel == nullptr) return misfit(step.kernel, no_such_kernel(step.kernel, unit));
      if (auto wrong = check_arguments(step, *kernel)) return wrong;
      if (auto wrong = check_limits(step, *kernel, gpu)) return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace kw::worker
