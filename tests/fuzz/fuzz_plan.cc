// Fuzzes sources of device code: any bytes give a plan or diagnostics, and an accepted plan stays
// inside the memory that it names.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/plan_for_test.h"

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

std::int64_t room(const kw::Plan& plan, const kw::Workload& workload, const kw::PlanPlace& place) {
  const auto index = static_cast<std::size_t>(place.index);
  require(place.offset >= 0);
  std::int64_t bytes = 0;
  if (place.memory == kw::PlanMemory::Tensor)
    bytes = workload.tensors.at(index).bytes();
  else if (place.memory == kw::PlanMemory::Workspace)
    bytes = plan.workspaces.at(index).bytes;
  else
    bytes = static_cast<std::int64_t>(
        (plan.tables.at(index).integers.size() + plan.tables.at(index).reals.size()) *
        kw::size_of(plan.tables.at(index).dtype));
  return bytes - place.offset;
}

void check(const kw::Plan& plan, const kw::Workload& workload) {
  require(plan.steps.size() <= kw::kMostPlanSteps);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const kw::PlanStep& step = plan.steps[i];
    for (const int other : step.after) require(other >= 0 && static_cast<std::size_t>(other) < i);
    if (step.kind != kw::StepKind::Launch) require(step.bytes <= room(plan, workload, step.to));
    if (step.kind == kw::StepKind::Copy) require(step.bytes <= room(plan, workload, step.from));
    for (const kw::PlanArgument& argument : step.arguments) {
      if (argument.kind == kw::ArgumentKind::Address)
        require(room(plan, workload, argument.place) > 0);
      if (argument.kind == kw::ArgumentKind::TensorMap)
        require(static_cast<std::size_t>(argument.map) < plan.tensor_maps.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kw::task::Definition definition = kw::task::test::sample();
  static const kw::GpuFacts gpu = kw::task::test::h200();
  static const auto workloads =
      kw::task::resolve(definition, kw::Target::Cuda, std::int64_t{1} << 30)->workloads;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  auto header = kw::task::parse_header(source, "fuzz.cu", kw::Target::Cuda);
  if (!header) {
    require(!header.error().empty());
    return 0;
  }
  header->limits = kw::task::device_limits(gpu);
  const auto point = header->default_point();
  if (!header->is_valid(point)) return 0;  // no combination of knobs is valid
  const auto names = kw::task::kernel_names(*header, source, "fuzz.cu", point, "sm_90a");
  require(names || !names.error().empty());
  for (const kw::Workload& workload : workloads) {
    const auto plan =
        kw::task::resolve_plan(*header, source, "fuzz.cu", point, {definition, workload, gpu});
    if (plan)
      check(*plan, workload);
    else
      require(!plan.error().finding.frame.empty());
  }
  return 0;
}
