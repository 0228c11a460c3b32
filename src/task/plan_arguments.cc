// Lays the arguments of a launch out as the kernel takes them, and evaluates them.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "task/plan_types.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxParameters = 64;
constexpr std::int64_t kMaxParameterBytes = 4096;
constexpr std::int64_t kMaxStructBytes = 4096;
constexpr int kMapBytes = 128;
constexpr int kMapAlignment = 64;

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

}  // namespace

PlanStep call_step(const PlanSite& site, std::size_t workspaces) {
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
  const Workload& workload = site.workload;
  for (const Parameter& parameter : site.definition.task.signature) {
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
  for (std::size_t i = 0; i < workspaces; ++i)
    add(address(PlanMemory::Workspace, static_cast<int>(i)));
  return step;
}

Planned<> LaunchArguments::add(const std::vector<PlanItem>& items, PlanStep& step) const {
  if (items.size() > kMaxParameters)
    return trouble(items[kMaxParameters].at, PlanFlaw::TooMany, About{"arguments"},
                   worded("the launch passes {} arguments; at most {} are possible", items.size(),
                          kMaxParameters));
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PlanItem& item = items[i];
    const Layout room = KW_TRY(layout(item));
    bytes = align_up(bytes, room.alignment) + room.bytes;
    if (bytes > kMaxParameterBytes)
      return trouble(
          item.at, PlanFlaw::TooMany, About{"bytes of arguments"},
          worded("the arguments of the launch take more than {} bytes", kMaxParameterBytes));
    KW_TRY(add_item(item, static_cast<int>(i), 0, step));
  }
  return {};
}

Planned<LaunchArguments::Layout> LaunchArguments::layout(const PlanItem& item) const {
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
      const PlanArgument scalar = KW_TRY(value(item));
      return Layout{scalar.bytes, scalar.bytes};
    }
  }
  return Layout{};
}

Planned<LaunchArguments::Layout> LaunchArguments::place_items(
    const PlanItem& item, std::vector<std::int64_t>* offsets) const {
  Layout whole;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const PlanItem& inner : item.items) {
    const Layout room = KW_TRY(layout(inner));
    std::int64_t at = align_up(taken.empty() ? 0 : taken.back().second, room.alignment);
    if (inner.offset) {
      at = KW_TRY(scope_.value(*inner.offset));
      if (at < 0 || at % room.alignment != 0)
        return trouble(
            inner.offset->at, PlanFlaw::NoMultiple, About{"offset"},
            worded(
                "the offset {} of this item of a struct is no multiple of {}, the item's alignment",
                scope_.figure(at), room.alignment));
    }
    if (at > kMaxStructBytes - room.bytes)
      return trouble(inner.at, PlanFlaw::TooMany, About{"bytes of a struct"},
                     worded("this struct argument has more than {} bytes", kMaxStructBytes));
    for (const auto& [begin, end] : taken)
      if (at < end && begin < at + room.bytes)
        return trouble(inner.at, PlanFlaw::Overlap, About{"items of a struct"},
                       "this item overlaps another one of its struct");
    taken.emplace_back(at, at + room.bytes);
    if (offsets != nullptr) offsets->push_back(at);
    whole.bytes = std::max(whole.bytes, at + room.bytes);
    whole.alignment = std::max(whole.alignment, room.alignment);
  }
  whole.bytes = align_up(whole.bytes, whole.alignment);
  return whole;
}

Planned<PlanArgument> LaunchArguments::value(const PlanItem& item) const {
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
        return trouble(name.indices.back().high->at, PlanFlaw::WrongKind,
                       About{"range of " + name.name},
                       "an argument of a launch can be the address of one slice, not of a range");
      result.kind = ArgumentKind::Address;
      result.bytes = 8;
      result.place = span.place();
      return result;
    }
    if (!name.indices.empty())  // no memory has this name, so span() returns the error to report
      return std::unexpected(scope_.require_space(name).error());
    type = "i32";
    if (const Scalar* given = workload_.scalar(name.name)) {
      type = kw::name_of(given->dtype);
      const int bytes = static_cast<int>(size_of(given->dtype));
      if (is_real(given->dtype)) return scalar(bytes, real_image(given->real, bytes));
    }
    integer = {*Expr::parse(name.name), name.at};
  }
  const int bytes = *plan_type_bytes(type);
  const std::int64_t value = KW_TRY(scope_.value(integer));
  if (!fits_plan_type(type, value))
    return trouble(item.at, PlanFlaw::DoesNotFit, About{type},
                   worded("the value {} of this argument does not fit into {}{}",
                          scope_.figure(value), type, type == "i32" ? "; write i64(…)" : ""));
  return scalar(bytes, static_cast<std::uint64_t>(value));
}

Planned<> LaunchArguments::add_item(const PlanItem& item, int parameter, std::int64_t at,
                                    PlanStep& step) const {
  if (item.kind != PlanItem::Kind::Struct) {
    PlanArgument argument = KW_TRY(value(item));
    argument.parameter = parameter;
    argument.at = at;
    step.arguments.push_back(argument);
    return {};
  }
  std::vector<std::int64_t> offsets;
  KW_TRY(place_items(item, &offsets));
  for (std::size_t i = 0; i < item.items.size(); ++i)
    KW_TRY(add_item(item.items[i], parameter, at + offsets[i], step));
  return {};
}

}  // namespace kw::task
