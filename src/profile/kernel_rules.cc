// The rules about kernels and launches, one function each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kernel_rules.h"

#include <algorithm>
#include <iterator>

#include "device/multiprocessor.h"
#include "profile/occupancy.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

// CuTeGen's signal of register pressure (arXiv 2604.01489, `possible_register_pressure`): this many
// registers at no more than this occupancy.
constexpr int kManyRegisters = 96;
constexpr double kLowOccupancy = 0.4;
// Share of all block places that a last wave leaves empty, from which on Nsight Compute warns of a
// tail (LaunchStatistics: tail effect). With more whole waves than kFewWaves a tail is not
// reported. Our choice: the last of five waves takes a fifth of the time.
constexpr double kWasted = 0.2;
constexpr std::int64_t kFewWaves = 4;
constexpr int kWarpLanes = 32;

enum LaunchWeight { kGrid = 10, kTail = 20, kFullness = 30, kBlock = 40, kFact = 60 };

using Findings = std::vector<Finding>;

/// `rule` is the stable name of the rule, and of what it found.
void add(Findings& out, int weight, const LaunchedKernel& launch, std::string rule, Wording words) {
  out.push_back({FindingKind::Resource, weight, std::move(words.text), "", launch.workload,
                 MismatchPattern::None, std::move(rule), std::move(words.numbers)});
}

void explain_grid(const LaunchedKernel& launch, const GpuFacts& gpu, const Occupancy& o,
                  Findings& out) {
  if (gpu.multiprocessors <= 0 || o.blocks <= 0) return;
  if (launch.blocks < gpu.multiprocessors) {
    add(out, kGrid, launch, "idle multiprocessors",
        worded("{} launches {} blocks for {} multiprocessors on {}: {} of them have nothing "
               "to do. Split the work into more blocks (along a reduction, too).",
               launch.name, launch.blocks, gpu.multiprocessors, launch.workload,
               gpu.multiprocessors - launch.blocks));
    return;
  }
  const Waves w = waves_of(launch.blocks, gpu.multiprocessors, o.blocks);
  if (w.tail <= 0 || w.full > kFewWaves || 1 - w.efficiency < kWasted) return;
  const std::int64_t places = std::int64_t{gpu.multiprocessors} * o.blocks;
  add(out, kTail, launch, w.full == 0 ? "part of a wave" : "last wave",
      w.full == 0
          ? worded("{} fills {} of {} block places on {}: smaller blocks of work would use "
                   "the rest.",
                   launch.name, launch.blocks, places, launch.workload)
          : worded("{} runs {:.2f} waves of {} blocks on {}, and the last one fills {:.2f} "
                   "of its places: choose a grid of whole waves, or let {} resident blocks "
                   "loop over the work.",
                   launch.name, static_cast<double>(launch.blocks) / static_cast<double>(places),
                   places, launch.workload, w.tail, places));
}

std::string cure_for(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::Registers:
      return "fewer registers per thread (smaller tiles, __launch_bounds__) would let more warps "
             "hide latency, unless each has enough independent work";
    case OccupancyLimit::Shared:
      return "less shared memory per block, or larger blocks that share it, would let more warps "
             "hide latency, unless copies already run ahead";
    case OccupancyLimit::Blocks:
      return "larger blocks would fill the multiprocessor";
    case OccupancyLimit::Warps:
      break;
  }
  return "blocks of a size that divides the multiprocessor's threads would fill it";
}

void explain_occupancy(const KernelFacts& k, const LaunchedKernel& launch, const Occupancy& o,
                       Findings& out) {
  if (o.blocks == 0) return;  // Its launch fails, and that verdict says why.
  const Wording dynamic = launch.shared_bytes == 0 ? Wording()
                                                   : worded(" and {} of dynamic shared memory",
                                                            InBytes{launch.shared_bytes});
  const Wording fact = worded(
      "{}: blocks of {} threads{}; {} of them fit a multiprocessor, occupancy {:.2f}, limited by "
      "{}",
      k.name, launch.threads, dynamic, o.blocks, o.share, name_of(o.limit));
  const bool is_by_registers = o.limit == OccupancyLimit::Registers;
  const bool is_low = o.share <= kLowOccupancy;
  if (is_low && (!is_by_registers || k.registers >= kManyRegisters))
    add(out, kFullness, launch, "low occupancy: " + std::string(name_of(o.limit)),
        fact + ": " + cure_for(o.limit) + ".");
  else
    add(out, kFact, launch, "occupancy: " + std::string(name_of(o.limit)), fact + ".");
}

void explain_block(const LaunchedKernel& launch, Findings& out) {
  if (launch.threads % kWarpLanes == 0) return;
  add(out, kBlock, launch, "part of a warp",
      worded("{} has blocks of {} threads: the last warp of each runs with {} of 32 lanes. "
             "Use a multiple of 32.",
             launch.name, launch.threads, launch.threads % kWarpLanes));
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (const std::int64_t s : sizes) n *= s;
  return n;
}

}  // namespace

std::vector<RolePlan> timed_plans(const EvaluationRequest& request, std::string_view role) {
  const auto is_timed = [&](const std::string& name) {
    return std::ranges::any_of(request.workloads, [&](const Workload& w) {
      return w.group == Group::Time && w.name == name;
    });
  };
  std::vector<RolePlan> plans;
  std::ranges::copy_if(request.plans, std::back_inserter(plans), [&](const RolePlan& plan) {
    return plan.role == role && is_timed(plan.workload);
  });
  return plans;
}

std::vector<LaunchedKernel> launched_kernels(std::span<const RolePlan> plans,
                                             std::string_view role) {
  std::vector<LaunchedKernel> out;
  for (const RolePlan& p : plans) {
    if (p.role != role) continue;
    for (const PlanStep& step : p.plan.steps) {
      if (step.kind != StepKind::Launch) continue;
      auto at = std::find_if(out.begin(), out.end(),
                             [&](const LaunchedKernel& k) { return k.name == step.kernel; });
      if (at == out.end()) at = out.insert(out.end(), {.name = step.kernel, .workload = {}});
      if (at->workload == p.workload) ++at->launches;
      const std::int64_t blocks = product(step.grid);
      if (blocks <= at->blocks) continue;
      if (at->workload != p.workload) at->launches = 1;
      at->workload = p.workload, at->blocks = blocks;
      at->threads = static_cast<int>(product(step.block));
      at->shared_bytes = step.shared_bytes;
    }
  }
  return out;
}

std::vector<Finding> kernel_findings(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const GpuFacts& gpu) {
  Findings out;
  const auto m = device::multiprocessor_of(gpu.arch);
  if (unit.object.empty() || !m) return out;
  for (const LaunchedKernel& launch : launched_kernels(plans, unit.role)) {
    const KernelFacts* k = unit.object.front().kernel(launch.name);
    if (k == nullptr) continue;
    const Occupancy o =
        occupancy_of(*m, {launch.threads, k->registers, k->static_shared + launch.shared_bytes});
    explain_grid(launch, gpu, o, out);
    explain_occupancy(*k, launch, o, out);
    explain_block(launch, out);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
  return out;
}

}  // namespace kw::profile
