// Checks the launches of plans against the built kernels.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/plan_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/defence.h"
#include "base/text.h"
#include "record/target.h"
#include "task/launch_places.h"

namespace kw::evaluate {
namespace {

/// Why a launch is impossible, and the place in the source that says so.
struct Misfit {
  Outcome outcome = Outcome::LaunchFailed;
  EvidenceKind kind = EvidenceKind::None;
  std::vector<double> numbers{};
  std::size_t task::LaunchPlaces::* part = &task::LaunchPlaces::kernel;
  int value = -1;  ///< Index of the step's argument, if an argument is at fault.
  std::vector<std::string> names{};
};

using MaybeMisfit = std::optional<Misfit>;

template <class... T>
std::vector<double> numbers_of(T... values) {
  return {static_cast<double>(values)...};
}

/// Checks that every parameter gets all its bytes, and that no argument is left over.
MaybeMisfit check_arguments(const PlanStep& step, const KernelFacts& kernel) {
  const std::size_t wanted = kernel.parameters.size();
  std::vector<std::vector<int>> values(wanted);
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const auto parameter = static_cast<std::size_t>(step.arguments[i].parameter);
    if (parameter >= wanted) {
      const auto given = static_cast<std::size_t>(step.arguments.back().parameter) + 1;
      return Misfit{.kind = EvidenceKind::TooManyArguments,
                    .numbers = numbers_of(given, wanted),
                    .value = static_cast<int>(i)};
    }
    values[parameter].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (values[i].empty())
      return Misfit{.kind = EvidenceKind::TooFewArguments,
                    .numbers = numbers_of(wanted, i + 1),
                    .part = &task::LaunchPlaces::end};
    const std::int64_t bytes = kernel.parameters[i].bytes;
    std::int64_t end = 0;
    int last = values[i].front();
    for (const int value : values[i]) {
      const PlanArgument& a = step.arguments[static_cast<std::size_t>(value)];
      if (a.at + a.bytes > end) end = a.at + a.bytes, last = value;
    }
    // Structs may end in padding, so only plain values must fill their parameter.
    const bool is_plain = values[i].size() == 1 && bytes <= 8;
    if (end > bytes || (is_plain && end != bytes))
      return Misfit{.kind = EvidenceKind::ArgumentSize,
                    .numbers = numbers_of(i + 1, end, bytes),
                    .value = last};
  }
  return std::nullopt;
}

Misfit no_such_kernel(const std::string& name, const BuildUnit& unit) {
  std::vector<std::string> built;
  for (const KernelFacts& kernel : unit.object.front().kernels) built.push_back(kernel.name);
  Misfit misfit{.kind = EvidenceKind::KernelMissing};
  if (auto near = nearest(name, built)) misfit.names.push_back(*std::move(near));
  return misfit;
}

MaybeMisfit check_limits(const PlanStep& step, const KernelFacts& kernel, const GpuFacts* gpu) {
  const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
  const auto of_block = [](EvidenceKind kind, std::vector<double> numbers) {
    return Misfit{.outcome = Outcome::OutOfResources,
                  .kind = kind,
                  .numbers = std::move(numbers),
                  .part = &task::LaunchPlaces::block};
  };
  if (kernel.max_threads > 0 && threads > kernel.max_threads)
    return of_block(EvidenceKind::BlockBeyondBounds, numbers_of(threads, kernel.max_threads));
  if (gpu == nullptr) return std::nullopt;
  // The hardware gives registers to a warp in units of 256.
  const std::int64_t a_warp = (kernel.registers * std::int64_t{32} + 255) / 256 * 256;
  const std::int64_t registers = (threads + 31) / 32 * a_warp;
  if (gpu->registers_per_block > 0 && registers > gpu->registers_per_block)
    return of_block(EvidenceKind::BlockRegisters,
                    numbers_of(threads, kernel.registers, gpu->registers_per_block));
  const std::int64_t shared = step.shared_bytes + kernel.static_shared;
  if (gpu->shared_per_block > 0 && shared > gpu->shared_per_block)
    return Misfit{
        .outcome = Outcome::OutOfResources,
        .kind = EvidenceKind::SharedMemory,
        .numbers = numbers_of(step.shared_bytes, kernel.static_shared, gpu->shared_per_block),
        .part = &task::LaunchPlaces::shared};
  return std::nullopt;
}

/// Checks the limits of the task, whatever the device has.
MaybeMisfit check_restrictions(const KernelFacts& kernel, const Restrictions& allowed) {
  if (allowed.registers > 0 && kernel.registers > allowed.registers)
    return Misfit{.outcome = Outcome::Rejected,
                  .kind = EvidenceKind::KernelRegisters,
                  .numbers = numbers_of(kernel.registers, allowed.registers)};
  const std::int64_t local = allowed.local_bytes > 0 ? allowed.local_bytes : kDefaultLocalBytes;
  if (!is_on(Defence::LocalFramesCapped) || kernel.stack_bytes <= local) return std::nullopt;
  return Misfit{.outcome = Outcome::Rejected,
                .kind = EvidenceKind::KernelLocalMemory,
                .numbers = numbers_of(kernel.stack_bytes, local)};
}

MaybeMisfit check_step(const PlanStep& step, const BuildUnit& unit, const Restrictions& allowed,
                       const GpuFacts* gpu) {
  const KernelFacts* kernel = unit.object.front().kernel(step.kernel);
  if (kernel == nullptr) return no_such_kernel(step.kernel, unit);
  if (auto wrong = check_restrictions(*kernel, allowed)) return wrong;
  if (auto wrong = check_arguments(step, *kernel)) return wrong;
  return check_limits(step, *kernel, gpu);
}

/// The fault, with place and frame if the source is present and still has the launch.
PlanFault fault_of(const Misfit& misfit, const PlanStep& step, const Candidate& source) {
  const Stage stage = misfit.outcome == Outcome::Rejected ? Stage::Screen : Stage::Launch;
  PlanFault fault;
  fault.verdict = make_verdict(stage, misfit.outcome,
                               {.kind = misfit.kind,
                                .subject = step.kernel,
                                .names = misfit.names,
                                .numbers = misfit.numbers});
  const std::string& text = fault.verdict.evidence;
  const std::string about(name_of(misfit.kind));
  fault.finding = {FindingKind::Resource, 0,     text,          "", "",
                   MismatchPattern::None, about, misfit.numbers};
  const auto header = task::parse_header(source);
  const auto places = header ? task::launch_places(*header, step.written_at) : std::nullopt;
  if (!places) return fault;
  const auto value = static_cast<std::size_t>(misfit.value);
  const std::size_t at = misfit.value >= 0 && value < places->values.size()
                             ? places->values[value]
                             : (*places).*misfit.part;
  const std::string file = source.name + std::string(source_suffix(source.target));
  fault.finding = task::diagnostic_at(source.source, file, at, text);
  fault.finding.about = about;
  fault.finding.numbers = misfit.numbers;
  set_place(fault.verdict, fault.finding.place);
  return fault;
}

}  // namespace

std::optional<PlanFault> check_plans(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const Candidate& source, const Restrictions& allowed,
                                     const GpuFacts* gpu) {
  if (!is_on(Defence::PlansChecked)) return std::nullopt;
  if (!row_of(unit.target).launches_by_plan || unit.object.empty() ||
      unit.object.front().kernels.empty())
    return std::nullopt;
  for (const RolePlan& plan : plans) {
    if (plan.role != unit.role) continue;
    for (const PlanStep& step : plan.plan.steps) {
      if (step.kind != StepKind::Launch) continue;
      if (const auto wrong = check_step(step, unit, allowed, gpu))
        return fault_of(*wrong, step, source);
    }
  }
  return std::nullopt;
}

}  // namespace kw::evaluate
