// Builds the plan that repeats a kernel, runs it, and checks its outputs.
// SPDX-License-Identifier: Apache-2.0
#include "referee/sustained.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/statistics.h"
#include "platform/clock.h"
#include "referee/check.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

constexpr int kSlots = 8;
/// Time of one graph: long compared with the pause between two graphs.
constexpr double kGraphNs = 20e6;
constexpr std::size_t kMostSteps = kMostPlanSteps / 2;
/// Wall time after which no further graph begins, however long the calls are.
constexpr double kMostWallNs = 10e9;
constexpr int kLeastGraphs = 3;

void move_to(PlanPlace& place, int by) {
  if (place.memory == PlanMemory::Tensor) place.index += by;
}

PlanStep zeroing(const Plan& plan, std::size_t workspace) {
  PlanStep step;
  step.kind = StepKind::Fill;
  step.to = {PlanMemory::Workspace, static_cast<int>(workspace), 0};
  step.bytes = plan.workspaces[workspace].bytes;
  step.unit = step.bytes % 4 == 0 ? 4 : 1;
  return step;
}

/// Uses each slot about equally often, in an order that nobody can foresee.
std::vector<int> draw_order(std::size_t turns, int slots, Rng& rng) {
  std::vector<int> order;
  for (std::size_t i = 0; i < turns; ++i) order.push_back(static_cast<int>(i) % slots);
  rng.shuffle(std::span(order));
  return order;
}

std::size_t steps_of_turn(const Plan& plan) {
  return plan.steps.size() +
         static_cast<std::size_t>(
             std::count_if(plan.workspaces.begin(), plan.workspaces.end(),
                           [](const PlanWorkspace& w) { return w.initial == Initial::Zero; }));
}

}  // namespace

Plan repeated(const Plan& plan, const std::vector<int>& order, int tensors, int slots) {
  Plan all;
  all.workspaces = plan.workspaces;
  all.tables = plan.tables;
  const auto maps = static_cast<int>(plan.tensor_maps.size());
  for (int s = 0; s < slots; ++s)
    for (PlanTensorMap map : plan.tensor_maps) {
      map.name = fmt::format("{}#{}", map.name, s);
      move_to(map.base, s * tensors);
      all.tensor_maps.push_back(std::move(map));
    }
  for (const int slot : order) {
    for (std::size_t w = 0; w < plan.workspaces.size(); ++w)
      if (plan.workspaces[w].initial == Initial::Zero) all.steps.push_back(zeroing(plan, w));
    for (PlanStep step : plan.steps) {
      move_to(step.to, slot * tensors);
      move_to(step.from, slot * tensors);
      for (PlanArgument& argument : step.arguments) {
        if (argument.kind == ArgumentKind::Address) move_to(argument.place, slot * tensors);
        if (argument.kind == ArgumentKind::TensorMap) argument.map += slot * maps;
      }
      all.steps.push_back(std::move(step));
    }
  }
  return all;
}

std::string why_not_sustained(const Workload& workload, const Program& program) {
  const Plan* plan = program.plan(workload.name);
  if (plan == nullptr) return "the kernel has no launch plan for this workload";
  for (const Tensor& t : workload.tensors)
    if (t.role == TensorRole::InOut)
      return "the kernel changes its inputs, so calls cannot be repeated";
  for (const PlanStep& step : plan->steps)
    if (step.branch != 0 || !step.after.empty()) return "the kernel's launch plan has branches";
  if (2 * steps_of_turn(*plan) > kMostSteps) return "the kernel's launch plan has too many steps";
  return {};
}

Result<SustainedRun> time_sustained(Bench& bench, JailLevel jail, const Program& program,
                                    double call_ns, std::int64_t timeout_ns, Seed seed) {
  SustainedRun run;
  run.figure.role = program.role;
  const Workload& workload = bench.workload();
  run.figure.why_not = why_not_sustained(workload, program);
  if (!run.figure.why_not.empty()) return run;
  const auto more = bench.device().free_bytes() / std::max<std::int64_t>(2 * workload.bytes(), 1);
  const int slots =
      std::max(bench.slots.count(), static_cast<int>(std::min<std::int64_t>(kSlots, 1 + more)));
  KW_TRY(bench.slots.ensure(slots));

  Rng rng(seed.child("order"));
  std::vector<int> sets;
  for (int s = 0; s < slots; ++s) {
    sets.push_back(bench.truths.fresh_set());
    KW_TRY(bench.slots.place(s, sets.back()));
    bench.truths.drop(sets.back());  // the set is drawn again for its check
  }
  const Plan& plan = *program.plan(workload.name);
  const std::size_t fit = kMostSteps / steps_of_turn(plan);
  const auto wanted =
      static_cast<std::size_t>(std::clamp(kGraphNs / std::max(call_ns, 1e3), 1.0, 1e4));
  const std::size_t turns = std::min(fit, std::max(wanted, static_cast<std::size_t>(slots)));
  Program again = program;
  again.plans = {{workload.name, repeated(plan, draw_order(turns, slots, rng),
                                          static_cast<int>(workload.tensors.size()), slots)}};
  Leg leg(bench.device(), bench.task(), bench.slots.player_spec("sustained", jail, true), again,
          {Stand{.workload = &workload, .slots = slots}}, seed.child("workspaces"));
  run.verdict = KW_TRY(leg.renew());
  if (run.verdict) return run;
  KW_TRY(leg.make_ready(workload));

  const auto& clock = platform::real_clock();
  const std::int64_t start = clock.now_ns();
  std::vector<double> each;
  for (int graph = 0; run.figure.span_ns < kSustainedNs || graph <= kLeastGraphs; ++graph) {
    const auto result = KW_TRY(leg.call(workload, timeout_ns * static_cast<std::int64_t>(turns)));
    run.verdict = verdict_of(result, workload.name, "back to back");
    if (run.verdict) return run;
    const double ns = result.stamped_ns > 0 ? result.stamped_ns : result.event_ns;
    if (graph > 0 && ns > 0) {
      each.push_back(ns / static_cast<double>(turns));
      run.figure.span_ns += ns;
      run.figure.calls += static_cast<std::int64_t>(turns);
    }
    if (graph >= kLeastGraphs && static_cast<double>(clock.now_ns() - start) > kMostWallNs) break;
  }
  for (int s = 0; s < slots && !run.verdict; ++s) {
    const int set = sets[static_cast<std::size_t>(s)];
    KW_TRY(bench.truths.answer(set));
    run.verdict = KW_TRY(check_call(bench, leg, s, set, {}, Stage::Measure)).verdict;
    bench.truths.drop(set);
  }
  if (!each.empty()) run.figure.call_ns = measure::median(each);
  run.figure.buffers = slots;
  return run;
}

}  // namespace kw::referee
