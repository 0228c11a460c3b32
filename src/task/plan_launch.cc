// Resolves the launches of a plan: checks their sizes against the device's limits, and turns
// arguments into bytes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "task/plan_parse.h"
#include "task/plan_resolver.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxParameters = 64;
constexpr std::int64_t kMaxParameterBytes = 4096;
constexpr std::int64_t kMaxStructBytes = 4096;
constexpr int kMapBytes = 128;
constexpr int kMapAlignment = 64;

bool is_before_hopper(const GpuFacts& gpu) { return arch_number(gpu.arch) < arch_number("sm_90"); }

std::uint64_t real_image(double value, int bytes) {
  return bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                    : std::bit_cast<std::uint64_t>(value);
}

PlanArgument scalar(int bytes, std::uint64_t image) {
  PlanArgument argument;
  argument.kind = ArgumentKind::Scalar;
  argument.bytes = bytes;
  argument.image = bytes == 8 ? image : image & ((std::uint64_t{1} << (8 * bytes)) - 1);
  return argument;
}

std::int64_t align_up(std::int64_t value, std::int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::vector<std::int64_t> three(std::vector<std::int64_t> sizes) {
  sizes.resize(3, 1);
  return sizes;
}

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
    if (!value)
      return trouble(value.error().at, value.error().message +
                                           "; template arguments are made of knobs, true and "
                                           "false, or C++ in double quotes");
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
          node.carveout->at,
          fmt::format(
              "the launch's carveout is {}; a share of shared memory in percent is 0 to 100",
              scope_.figure(share)));
    step.carveout = static_cast<int>(share);
  }
  KW_TRY(check_shape(node, step));
  if (node.arguments.size() > kMaxParameters)
    return trouble(node.arguments[kMaxParameters].at,
                   fmt::format("the launch passes {} arguments; at most {} are possible",
                               node.arguments.size(), kMaxParameters));
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const PlanItem& item = node.arguments[i];
    const Layout room = KW_TRY(layout(item));
    bytes = align_up(bytes, room.alignment) + room.bytes;
    if (bytes > kMaxParameterBytes)
      return trouble(item.at, fmt::format("the arguments of the launch take more than {} bytes",
                                          kMaxParameterBytes));
    KW_TRY(add_argument(item, static_cast<int>(i), 0, step));
  }
  return add_step(std::move(step), at);
}

Planned<> PlanResolver::add_call() {
  PlanStep step;
  step.kind = StepKind::Call;
  const auto add = [&step](PlanArgument value) {
    value.parameter = static_cast<int>(step.arguments.size());
    step.arguments.push_back(value);
  };
  const auto address = [](PlanMemory memory, int index) {
    PlanArgument value;
    value.kind = ArgumentKind::Address;
    value.bytes = 8;
    value.place = {memory, index, 0};
    return value;
  };
  const Workload& workload = site_.workload;
  for (const Parameter& parameter : site_.definition.task.signature) {
    if (!parameter.is_tensor) {
      const Scalar* given = workload.scalar(parameter.name);
      KW_ASSERT(given != nullptr);
      const int bytes = static_cast<int>(size_of(given->dtype));
      add(scalar(bytes, is_real(given->dtype) ? real_image(given->real, bytes)
                                              : static_cast<std::uint64_t>(given->integer)));
      continue;
    }
    for (std::size_t i = 0; i < workload.tensors.size(); ++i)
      if (workload.tensors[i].name == parameter.name)
        add(address(PlanMemory::Tensor, static_cast<int>(i)));
  }
  for (std::size_t i = 0; i < plan_.workspaces.size(); ++i)
    add(address(PlanMemory::Workspace, static_cast<int>(i)));
  return add_step(std::move(step), 0);
}

Planned<> PlanResolver::check_shape(const LaunchNode& node, const PlanStep& step) const {
  static constexpr std::array<std::int64_t, 3> kGrid = {2147483647, 65535, 65535};
  static constexpr std::array<std::int64_t, 3> kBlock = {1024, 1024, 64};
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
  const auto figure = [&](std::int64_t value) { return scope_.figure(value); };
  const auto check = [&](const char* what, const std::vector<PlanExpr>& exprs,
                         const std::vector<std::int64_t>& sizes,
                         const std::array<std::int64_t, 3>& most) -> Planned<> {
    for (std::size_t i = 0; i < exprs.size(); ++i) {
      if (sizes[i] < 1)
        return trouble(exprs[i].at,
                       fmt::format("the {} of this launch is empty: {} is {}; where nothing is to "
                                   "be done, leave the launch out by // kw: when",
                                   what, kAxes[i], figure(sizes[i])));
      if (sizes[i] > most[i])
        return beyond_limit(exprs[i].at, fmt::format("{} {} is {}; 1 to {}", what, kAxes[i],
                                                     figure(sizes[i]), most[i]));
    }
    return {};
  };
  KW_TRY(check("grid", node.grid, step.grid, kGrid));
  KW_TRY(check("block", node.block, step.block, kBlock));
  const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
  if (threads > 1024)
    return beyond_limit(
        node.block[0].at,
        fmt::format("the launch asks for blocks of {} threads; at most 1024 are possible",
                    figure(threads)));
  const GpuFacts& gpu = site_.gpu;
  if (step.shared_bytes < 0)
    return trouble(node.shared->at,
                   fmt::format("the launch asks for {} bytes of shared memory, which is below 0",
                               figure(step.shared_bytes)));
  if (step.shared_bytes > gpu.shared_per_block)
    return beyond_limit(
        node.shared->at,
        fmt::format("the launch asks for {} bytes of shared memory; this device has {} for a block",
                    figure(step.shared_bytes), gpu.shared_per_block));
  if (node.is_programmatic && is_before_hopper(gpu))
    return beyond_limit(
        node.programmatic_at,
        fmt::format("a launch with pdl needs sm_90 or newer; this device is {}", gpu.arch));
  if (!step.cluster.empty()) {
    if (is_before_hopper(gpu))
      return beyond_limit(
          node.cluster[0].at,
          fmt::format("a launch with clusters needs sm_90 or newer; this device is {}", gpu.arch));
    KW_TRY(check("cluster", node.cluster, step.cluster, {16, 16, 16}));
    const std::int64_t blocks = step.cluster[0] * step.cluster[1] * step.cluster[2];
    if (blocks > 16)
      return beyond_limit(
          node.cluster[0].at,
          fmt::format("the launch asks for clusters of {} blocks; at most 16 are possible",
                      figure(blocks)));
    for (std::size_t i = 0; i < 3; ++i)
      if (step.grid[i] % step.cluster[i] != 0)
        return trouble(
            node.cluster[std::min(i, node.cluster.size() - 1)].at,
            fmt::format("the launch's grid {} is {}, which is no multiple of the cluster's {}",
                        kAxes[i], figure(step.grid[i]), figure(step.cluster[i])));
  }
  // This checks threads and dynamic shared memory only; the driver checks registers and static
  // shared memory.
  if (step.cooperative) {
    const std::int64_t by_threads = gpu.threads_per_multiprocessor / ((threads + 31) / 32 * 32);
    const std::int64_t by_shared =
        step.shared_bytes == 0 ? by_threads : gpu.shared_per_multiprocessor / step.shared_bytes;
    const std::int64_t most = std::min(by_threads, by_shared) * gpu.multiprocessors;
    // Each factor is below 2^31, so the product of two fits 64 bits, but the product of three may
    // not.
    std::int64_t blocks = step.grid[0] * step.grid[1];
    if (__builtin_mul_overflow(blocks, step.grid[2], &blocks) || blocks > most)
      return beyond_limit(node.grid[0].at, fmt::format("the cooperative launch has {} blocks; this "
                                                       "device can hold at most {} of them at once",
                                                       figure(blocks), most));
  }
  return {};
}

Planned<PlanResolver::Layout> PlanResolver::layout(const PlanItem& item) const {
  switch (item.kind) {
    case PlanItem::Kind::Struct:
      return place_items(item, nullptr);
    case PlanItem::Kind::Integer:
    case PlanItem::Kind::Real: {
      const int bytes = *plan_type_bytes(item.type);
      return Layout{bytes, bytes};
    }
    case PlanItem::Kind::Null:
      return Layout{8, 8};
    case PlanItem::Kind::Name: {
      if (const PlanSpace* space = scope_.space(item.name.name))
        return space->is_map() ? Layout{kMapBytes, kMapAlignment} : Layout{8, 8};
      const PlanArgument value = KW_TRY(argument(item));
      return Layout{value.bytes, value.bytes};
    }
  }
  return Layout{};
}

Planned<PlanResolver::Layout> PlanResolver::place_items(const PlanItem& item,
                                                        std::vector<std::int64_t>* offsets) const {
  Layout whole;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const PlanItem& inner : item.items) {
    const Layout room = KW_TRY(layout(inner));
    std::int64_t at = align_up(taken.empty() ? 0 : taken.back().second, room.alignment);
    if (inner.offset) {
      at = KW_TRY(scope_.value(*inner.offset));
      if (at < 0 || at % room.alignment != 0)
        return trouble(
            inner.offset->at,
            fmt::format(
                "the offset {} of this item of a struct is no multiple of {}, the item's alignment",
                scope_.figure(at), room.alignment));
    }
    if (at > kMaxStructBytes - room.bytes)
      return trouble(inner.at,
                     fmt::format("this struct argument has more than {} bytes", kMaxStructBytes));
    for (const auto& [begin, end] : taken)
      if (at < end && begin < at + room.bytes)
        return trouble(inner.at, "this item overlaps another one of its struct");
    taken.emplace_back(at, at + room.bytes);
    if (offsets != nullptr) offsets->push_back(at);
    whole.bytes = std::max(whole.bytes, at + room.bytes);
    whole.alignment = std::max(whole.alignment, room.alignment);
  }
  whole.bytes = align_up(whole.bytes, whole.alignment);
  return whole;
}

Planned<PlanArgument> PlanResolver::argument(const PlanItem& item) const {
  if (item.kind == PlanItem::Kind::Null) return scalar(8, 0);
  if (item.kind == PlanItem::Kind::Real) {
    const int bytes = *plan_type_bytes(item.type);
    return scalar(bytes, real_image(KW_TRY(scope_.real(item.real)), bytes));
  }
  std::string type = item.type;
  PlanExpr integer = item.integer;
  if (item.kind == PlanItem::Kind::Name) {
    const PlanName& name = item.name;
    if (const PlanSpace* space = scope_.space(name.name)) {
      PlanArgument result;
      if (space->is_map() && name.indices.empty()) {
        result.kind = ArgumentKind::TensorMap;
        result.bytes = kMapBytes;
        result.map = space->map;
        return result;
      }
      const PlanSpan span = KW_TRY(scope_.span(name));
      if (!name.indices.empty() && name.indices.back().high)
        return trouble(name.indices.back().high->at,
                       "an argument of a launch can be the address of one slice, not of a range");
      result.kind = ArgumentKind::Address;
      result.bytes = 8;
      result.place = span.place();
      return result;
    }
    if (!name.indices.empty())  // no memory has this name, so span() returns the error to report
      return std::unexpected(scope_.require_space(name).error());
    type = "i32";
    if (const Scalar* given = site_.workload.scalar(name.name)) {
      type = kw::name_of(given->dtype);
      const int bytes = static_cast<int>(size_of(given->dtype));
      if (is_real(given->dtype)) return scalar(bytes, real_image(given->real, bytes));
    }
    integer = {*Expr::parse(name.name), name.at};
  }
  const int bytes = *plan_type_bytes(type);
  const std::int64_t value = KW_TRY(scope_.value(integer));
  if (!fits_plan_type(type, value))
    return trouble(item.at,
                   fmt::format("the value {} of this argument does not fit into {}{}",
                               scope_.figure(value), type, type == "i32" ? "; write i64(…)" : ""));
  return scalar(bytes, static_cast<std::uint64_t>(value));
}

Planned<> PlanResolver::add_argument(const PlanItem& item, int parameter, std::int64_t at,
                                     PlanStep& step) const {
  if (item.kind != PlanItem::Kind::Struct) {
    PlanArgument value = KW_TRY(argument(item));
    value.parameter = parameter;
    value.at = at;
    step.arguments.push_back(value);
    return {};
  }
  std::vector<std::int64_t> offsets;
  KW_TRY(place_items(item, &offsets));
  for (std::size_t i = 0; i < item.items.size(); ++i)
    KW_TRY(add_argument(item.items[i], parameter, at + offsets[i], step));
  return {};
}

}  // namespace kw::task
