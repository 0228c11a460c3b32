// Resolves the launches of a plan and checks their sizes against the device's limits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "task/plan_arguments.h"
#include "task/plan_resolver.h"

namespace kw::task {
namespace {

bool is_before_hopper(const GpuFacts& gpu) { return arch_number(gpu.arch) < arch_number("sm_90"); }

std::vector<std::int64_t> three(std::vector<std::int64_t> sizes) {
  sizes.resize(3, 1);
  return sizes;
}

/// Checks the shape of a launch against the limits of a device. All references are borrowed.
class ShapeCheck {
 public:
  ShapeCheck(const LaunchNode& node, const PlanStep& step, const PlanScope& scope,
             const GpuFacts& gpu)
      : node_(node), step_(step), scope_(scope), gpu_(gpu) {}

  Planned<> run() const {
    KW_TRY(check_sizes("grid", node_.grid, step_.grid, {2147483647, 65535, 65535}));
    KW_TRY(check_sizes("block", node_.block, step_.block, {1024, 1024, 64}));
    if (threads() > 1024)
      return beyond_limit(
          node_.block[0].at, PlanFlaw::OutOfRange, About{"threads of a block"},
          worded("the launch asks for blocks of {} threads; at most 1024 are possible",
                 scope_.figure(threads())));
    KW_TRY(check_shared());
    if (node_.is_programmatic && is_before_hopper(gpu_))
      return beyond_limit(
          node_.programmatic_at, PlanFlaw::Unsupported, About{"pdl"},
          worded("a launch with pdl needs sm_90 or newer; this device is {}", gpu_.arch));
    if (!step_.cluster.empty()) KW_TRY(check_cluster());
    if (step_.cooperative) KW_TRY(check_cooperative());
    return {};
  }

 private:
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};

  std::int64_t threads() const { return step_.block[0] * step_.block[1] * step_.block[2]; }

  Planned<> check_sizes(const char* what, const std::vector<PlanExpr>& exprs,
                        const std::vector<std::int64_t>& sizes,
                        const std::array<std::int64_t, 3>& most) const {
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      if (sizes[i] < 1)
        return trouble(exprs[i].at, PlanFlaw::Empty, About{fmt::format("{} {}", what, kAxes[i])},
                       worded("the {} of this launch is empty: {} is {}; where nothing is to "
                              "be done, leave the launch out by // kw: when",
                              what, kAxes[i], scope_.figure(sizes[i])));
      if (sizes[i] > most[i])
        return beyond_limit(
            exprs[i].at, PlanFlaw::OutOfRange, About{fmt::format("{} {}", what, kAxes[i])},
            worded("{} {} is {}; 1 to {}", what, kAxes[i], scope_.figure(sizes[i]), most[i]));
    }
    return {};
  }

  Planned<> check_shared() const {
    if (step_.shared_bytes < 0)
      return trouble(node_.shared->at, PlanFlaw::OutOfRange, About{"shared"},
                     worded("the launch asks for {} bytes of shared memory, which is below 0",
                            scope_.figure(step_.shared_bytes)));
    if (step_.shared_bytes > gpu_.shared_per_block)
      return beyond_limit(
          node_.shared->at, PlanFlaw::OutOfRange, About{"shared"},
          worded("the launch asks for {} bytes of shared memory; this device has {} for a block",
                 scope_.figure(step_.shared_bytes), gpu_.shared_per_block));
    return {};
  }

  Planned<> check_cluster() const {
    if (is_before_hopper(gpu_))
      return beyond_limit(
          node_.cluster[0].at, PlanFlaw::Unsupported, About{"cluster"},
          worded("a launch with clusters needs sm_90 or newer; this device is {}", gpu_.arch));
    KW_TRY(check_sizes("cluster", node_.cluster, step_.cluster, {16, 16, 16}));
    const std::int64_t blocks = step_.cluster[0] * step_.cluster[1] * step_.cluster[2];
    if (blocks > 16)
      return beyond_limit(
          node_.cluster[0].at, PlanFlaw::OutOfRange, About{"blocks of a cluster"},
          worded("the launch asks for clusters of {} blocks; at most 16 are possible",
                 scope_.figure(blocks)));
    for (std::size_t i = 0; i < 3; ++i)
      if (step_.grid[i] % step_.cluster[i] != 0)
        return trouble(
            node_.cluster[std::min(i, node_.cluster.size() - 1)].at, PlanFlaw::NoMultiple,
            About{fmt::format("grid {}", kAxes[i])},
            worded("the launch's grid {} is {}, which is no multiple of the cluster's {}", kAxes[i],
                   scope_.figure(step_.grid[i]), scope_.figure(step_.cluster[i])));
    return {};
  }

  /// Checks threads and dynamic shared memory only; the driver checks registers and static shared
  /// memory.
  Planned<> check_cooperative() const {
    const std::int64_t by_threads = gpu_.threads_per_multiprocessor / ((threads() + 31) / 32 * 32);
    const std::int64_t by_shared =
        step_.shared_bytes == 0 ? by_threads : gpu_.shared_per_multiprocessor / step_.shared_bytes;
    const std::int64_t most = std::min(by_threads, by_shared) * gpu_.multiprocessors;
    // Each factor is below 2^31, so the product of two fits 64 bits, but the product of three may
    // not.
    std::int64_t blocks = step_.grid[0] * step_.grid[1];
    if (__builtin_mul_overflow(blocks, step_.grid[2], &blocks) || blocks > most)
      return beyond_limit(node_.grid[0].at, PlanFlaw::OutOfRange, About{"cooperative blocks"},
                          worded("the cooperative launch has {} blocks; this device can hold "
                                 "at most {} of them at once",
                                 scope_.figure(blocks), most));
    return {};
  }

  const LaunchNode& node_;
  const PlanStep& step_;
  const PlanScope& scope_;
  const GpuFacts& gpu_;
};
}  // namespace

Planned<std::string> kernel_text(const KernelName& kernel, const PlanScope& knobs) {
  if (!kernel.is_template) return kernel.name;
  std::vector<std::string> parts;
  for (const auto& argument : kernel.arguments) {
    if (const auto* text = std::get_if<std::string>(&argument)) {
      parts.push_back(*text);
      continue;
    }
    const PlanExpr& expr = std::get<PlanExpr>(argument);
    const auto value = knobs.value(expr);
    if (!value) {
      PlanTrouble wrong = value.error();
      wrong.words.text +=
          "; template arguments are made of knobs, true and false, or C++ in double quotes";
      return std::unexpected(std::move(wrong));
    }
    parts.push_back(std::to_string(*value));
  }
  return fmt::format("{}<{}>", kernel.name, fmt::join(parts, ", "));
}

Planned<> PlanResolver::visit(const LaunchNode& node, std::size_t at) {
  PlanStep step;
  step.kind = StepKind::Launch;
  step.kernel = KW_TRY(kernel_text(node.kernel, knobs_));
  step.grid = three(KW_TRY(scope_.values(node.grid)));
  step.block = three(KW_TRY(scope_.values(node.block)));
  if (!node.cluster.empty()) step.cluster = three(KW_TRY(scope_.values(node.cluster)));
  if (node.shared) step.shared_bytes = KW_TRY(scope_.value(*node.shared));
  step.cooperative = node.is_cooperative;
  step.programmatic = node.is_programmatic;
  if (node.carveout) {
    const std::int64_t share = KW_TRY(scope_.value(*node.carveout));
    if (share < 0 || share > 100)
      return trouble(
          node.carveout->at, PlanFlaw::OutOfRange, About{"carveout"},
          worded("the launch's carveout is {}; a share of shared memory in percent is 0 to 100",
                 scope_.figure(share)));
    step.carveout = static_cast<int>(share);
  }
  KW_TRY(ShapeCheck(node, step, scope_, site_.gpu).run());
  KW_TRY(LaunchArguments(scope_, site_.workload).add(node.arguments, step));
  return order_.add(std::move(step), at);
}

}  // namespace kw::task
