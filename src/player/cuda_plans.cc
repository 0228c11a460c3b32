// Decodes and builds plans, and gives back what they own on the device.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_plans.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/defence.h"
#include "player/cuda_graph.h"
#include "player/cuda_host.h"

namespace kw::player::cuda {

Outcome PlanBuilder::decode(Bound& bound, std::span<const std::byte> plan) const {
  bound.bytes.resize((plan.size() + 7) / 8);
  std::memcpy(bound.bytes.data(), plan.data(), plan.size());
  const auto view = decode_plan(std::as_bytes(std::span(bound.bytes)).first(plan.size()));
  if (!view) return fail(Trouble::BadRequest, "plan");
  bound.view = *view;
  return std::nullopt;
}

Outcome PlanBuilder::prepare(Bound& bound, std::span<const std::byte> plan) {
  if (auto f = decode(bound, plan)) return f;
  return build(bound);
}

Outcome PlanBuilder::build(Bound& plan) {
  // If the first step calls a host launcher, all steps do: decode_plan() has checked that.
  const bool is_call = !plan.view.steps.empty() && plan.view.steps[0].kind == WireStepKind::Call;
  const bool is_host =
      plan.object < held_.objects.size() && held_.objects[plan.object].entry != nullptr;
  if (is_call != is_host)
    return fail(Trouble::LoadRefused,
                is_host ? "a host launcher can only be called; it has no kernels to launch"
                        : "a cubin has no host launcher that a plan could call");
  plan.is_built = true;  // set even if the build fails, since the plan is then given up
  if (is_host) return HostPlans(held_).build(plan);
  if (auto f = send_tables(plan)) return f;
  return GraphBuilder(held_, plan).build();
}

/// Copies a plan's tables to the device. They begin at multiples of 256 bytes, as allocations do,
/// and share no page with other data. The whole allocation is made anew each time, since a kernel
/// could write behind the tables.
Outcome PlanBuilder::send_tables(Bound& plan) {
  constexpr std::uint64_t kAlignment = 256;
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  std::uint64_t total = 0;
  for (const WireTable& t : plan.view.tables)
    total += (t.bytes + kAlignment - 1) / kAlignment * kAlignment;
  total = (total + kPage - 1) / kPage * kPage;
  if (total > 0 && plan.tables == 0)
    if (auto f = held_.gpu.check(held_.gpu.api().cuMemAlloc(&plan.tables, total),
                                 "allocate GPU memory for the plan's tables", Trouble::LoadRefused))
      return f;
  if (total > 0 && is_on(Defence::TablesCleared))
    if (auto f = held_.gpu.check(clear(plan.tables, total), "clear the plan's tables",
                                 Trouble::LaunchFailed))
      return f;
  plan.table_at.clear();
  Address at = plan.tables;
  for (const WireTable& t : plan.view.tables) {
    if (auto f = held_.gpu.send(at, plan.view.data.data() + t.offset, t.bytes,
                                "copy the plan's tables to the GPU"))
      return f;
    plan.table_at.push_back(at);
    at += (t.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return std::nullopt;
}

void PlanBuilder::discard(Bound& plan) const {
  if (plan.exec != nullptr) held_.gpu.api().cuGraphExecDestroy(std::exchange(plan.exec, nullptr));
  if (plan.graph != nullptr) held_.gpu.api().cuGraphDestroy(std::exchange(plan.graph, nullptr));
  if (plan.tables != 0) held_.gpu.api().cuMemFree(std::exchange(plan.tables, 0));
}

Status PlanBuilder::clear(Address at, std::uint64_t bytes) const {
  std::uint64_t value = 0;
  int unit = 8;
  void* arguments[] = {&at, &bytes, &value, &unit};
  if (const Status status = held_.gpu.launch(held_.trusted.plan_fill,
                                             static_cast<unsigned>(held_.gpu.multiprocessors()),
                                             256, 0, held_.gpu.stream(), arguments))
    return status;
  return held_.gpu.api().cuStreamSynchronize(held_.gpu.stream());
}

Outcome PlanBuilder::build_again(Bound& plan) {
  if (plan.is_built) return std::nullopt;
  Outcome f = plan.entry != nullptr ? HostPlans(held_).instantiate(plan) : build(plan);
  plan.is_built = !f;
  // The plan was accepted by an earlier bind, so this failure is no refusal of the plan.
  if (f && f->trouble == Trouble::LoadRefused) f->trouble = Trouble::LaunchFailed;
  return f;
}

}  // namespace kw::player::cuda
