// The small task of testing.h for a fake GPU: plans, stamps, and references on a separate host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/fake.h"
#include "referee/referee.h"
#include "referee/testing.h"

namespace kw::referee::testing {

/// A plan of one launch whose arguments are (rows, x, y) and, if there is one, the workspace.
inline Plan make_plan(const Workload& workload, std::int64_t workspace_bytes = 0,
                      Initial initial = Initial::Poison) {
  Plan plan;
  PlanStep& step = plan.steps.emplace_back();
  step.kernel = "kernel";
  PlanArgument rows;
  rows.bytes = 4;
  rows.image = static_cast<std::uint64_t>(workload.scalars[0].integer);
  step.arguments.push_back(rows);
  const auto pass = [&](PlanMemory memory, int index) {
    PlanArgument address;
    address.parameter = static_cast<int>(step.arguments.size());
    address.kind = ArgumentKind::Address;
    address.bytes = 8;
    address.place = {.memory = memory, .index = index, .offset = 0};
    step.arguments.push_back(address);
  };
  pass(PlanMemory::Tensor, 0);
  pass(PlanMemory::Tensor, 1);
  if (workspace_bytes == 0) return plan;
  plan.workspaces.push_back({.name = "scratch", .bytes = workspace_bytes, .initial = initial});
  pass(PlanMemory::Workspace, 0);
  return plan;
}

/// A kernel that applies `body` once and is stamped at `ns`.
template <class Real, class Body>
device::FakeKernel plan_kernel(double ns, Body body) {
  return [=](const std::vector<std::vector<device::FakeArgument>>& sets) mutable {
    body(Arguments<Real>(sets.at(0)));
    return device::stamped_at(ns);
  };
}

struct GpuRoom {
  device::FakeWorld world;
  device::FakeWorld host_world;
  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::Device> host = device::make_fake_device(host_world);
  std::unique_ptr<Referee> referee;
  EvaluationRequest request;

  explicit GpuRoom(Options options = {.recovery_pause_ns = 0},
                   platform::Clock& clock = platform::real_clock()) {
    world.facts.target = Target::Cuda;
    world.facts.gpu.emplace_back().arch = "sm_90a";
    device = device::make_fake_device(world);
    referee = std::make_unique<Referee>(*device, host.get(), options, clock);
    Room cpu;
    host_world.objects = cpu.world.objects;
    request = cpu.request;
    request.candidate.target = Target::Cuda;
    request.candidate.trust_class = TrustClass::DeviceCode;
    world.objects["slow"].kernel = plan_kernel<float>(4e6, twice<float>);
    world.objects["candidate"].kernel = plan_kernel<float>(2e6, twice<float>);
    for (BuildUnit& unit : request.units)
      if (unit.role == "candidate" || unit.role == "opponent") unit.target = Target::Cuda;
    add_plans("candidate");
    add_plans("opponent");
  }

  void add_plans(const std::string& role, std::int64_t workspace_bytes = 0,
                 Initial initial = Initial::Poison) {
    std::erase_if(request.plans, [&](const RolePlan& p) { return p.role == role; });
    for (const Workload& w : request.workloads)
      request.plans.push_back({role, w.name, make_plan(w, workspace_bytes, initial)});
  }

  /// Adds a fast reference, and declares so much work for the timed workload that the host could
  /// not compute it.
  template <class Body>
  void add_fast(Body body) {
    BuildUnit unit;
    unit.role = "reference_fast";
    unit.target = Target::Cuda;
    unit.object.emplace_back().sha256 = "fast";
    request.units.push_back(unit);
    add_plans("reference_fast");
    world.objects["fast"].kernel = plan_kernel<double>(1e5, body);
    for (Workload& w : request.workloads)
      if (w.group == Group::Time) w.work.flops = std::int64_t{1} << 40;
  }

  template <class Body>
  Evaluation judge(Body body, double ns = 2e6) {
    world.objects["candidate"].kernel = plan_kernel<float>(ns, body);
    return judge();
  }
  Evaluation judge() {
    auto evaluation = referee->judge(request);
    if (!evaluation.has_value()) panic(describe(evaluation.error()).c_str());
    return *std::move(evaluation);
  }
};

/// Argument sets that a fake kernel is called with.
using Sets = std::vector<std::vector<device::FakeArgument>>;

/// Result of the one timed workload of the test's task.
inline const WorkloadResult& timed(const Evaluation& e) { return e.workloads.at(2); }

}  // namespace kw::referee::testing
