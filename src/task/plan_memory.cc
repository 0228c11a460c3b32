// Resolves the workspaces, tables, fills and copies of a plan.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/text.h"
#include "task/plan_resolver.h"
#include "task/plan_types.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxWorkspaces = 64;
constexpr std::size_t kMaxTables = 64;
constexpr std::int64_t kMaxTableEntries = 65536;

std::uint64_t low_bits(std::uint64_t value, int bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// Whether the value, as a signed or as an unsigned integer, fits into this many bytes.
bool is_pattern(int bytes, std::int64_t value) {
  const std::int64_t half = bytes == 8 ? 0 : std::int64_t{1} << (8 * bytes - 1);
  return bytes == 8 || (value >= -half && value < 2 * half);
}

/// Checks that a fill or copy may write to the memory that a name means.
Planned<> check_target(const PlanName& name, const PlanSpan& span) {
  const PlanSpace& space = *span.space;
  if (!space.is_writable)
    return trouble(
        name.at, PlanFlaw::ReadOnly, About{name.name},
        fmt::format("the plan may not write to '{}', which is an input or a table", name.name));
  const std::int64_t pitch = space.pitch * space.element_bytes;
  const std::int64_t row = space.sizes.empty() ? pitch : space.sizes.back() * space.element_bytes;
  if (space.sizes.size() > 1 && pitch > row && span.offset % pitch + span.bytes > row)
    return trouble(name.at, PlanFlaw::Padded, About{name.name},
                   fmt::format("a fill or copy cannot write '{}', whose rows have padding between "
                               "them that must stay unchanged: write the tensor in a kernel",
                               name.name));
  return {};
}

}  // namespace

Planned<> PlanResolver::visit(const WorkspaceNode& node, std::size_t at) {
  if (loops_ > 0)
    return trouble(at, PlanFlaw::Misplaced, About{"workspace"},
                   "a `// kw: workspace` line may not stand inside a loop of the plan");
  if (plan_.workspaces.size() == kMaxWorkspaces)
    return trouble(at, PlanFlaw::TooMany, About{"workspaces"},
                   worded("the plan has more than {} workspaces", kMaxWorkspaces));
  PlanSpace space;
  space.name = node.name;
  space.memory = PlanMemory::Workspace;
  space.index = static_cast<int>(plan_.workspaces.size());
  space.type = node.type;
  space.element_bytes = *plan_type_bytes(node.type);
  space.sizes = KW_TRY(scope_.values(node.sizes));
  space.is_writable = true;
  space.bytes = space.element_bytes;
  bool overflow = false;
  for (std::size_t i = 0; i < space.sizes.size(); ++i) {
    if (space.sizes[i] < 1)
      return trouble(node.sizes[i].at, PlanFlaw::Empty, About{node.name},
                     worded("a size of the workspace '{}' is {}; sizes are at least 1", node.name,
                            scope_.figure(space.sizes[i])));
    overflow = overflow || __builtin_mul_overflow(space.bytes, space.sizes[i], &space.bytes);
  }
  space.pitch = space.sizes.back();
  const std::int64_t left = site_.most_workspace_bytes - workspace_bytes_;
  if (overflow || space.bytes > left) {
    return beyond_limit(at, PlanFlaw::TooMany, About{"bytes of workspaces"},
                        worded("the workspaces need more than the {} that the task allows",
                               InBytes{site_.most_workspace_bytes}));
  }
  workspace_bytes_ += space.bytes;
  plan_.workspaces.push_back(
      {node.name, space.bytes, node.is_zeroed ? Initial::Zero : Initial::Poison});
  return scope_.define(at, std::move(space));
}

Planned<> PlanResolver::visit(const TableNode& node, std::size_t at) {
  if (loops_ > 0)
    return trouble(at, PlanFlaw::Misplaced, About{"table"},
                   "a `// kw: table` line may not stand inside a loop of the plan");
  if (plan_.tables.size() == kMaxTables)
    return trouble(at, PlanFlaw::TooMany, About{"tables"},
                   worded("the plan has more than {} tables", kMaxTables));
  const std::int64_t count = KW_TRY(scope_.value(node.count));
  if (count < 1 || count > kMaxTableEntries)
    return trouble(node.count.at, PlanFlaw::OutOfRange, About{"entries"},
                   worded("the table has {} entries; a table has 1 to {}", scope_.figure(count),
                          kMaxTableEntries));
  PlanTable table;
  table.name = node.name;
  table.dtype = *enum_from<Dtype>(node.type);
  const int bytes = *plan_type_bytes(node.type);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t mark = scope_.mark();
    KW_TRY(scope_.define(at, node.index, i));
    if (is_real(table.dtype)) {
      table.reals.push_back(KW_TRY(scope_.real(node.real)));
    } else {
      const std::int64_t value = KW_TRY(scope_.value(node.integer));
      if (!fits_plan_type(node.type, value))
        return trouble(
            node.integer.at, PlanFlaw::DoesNotFit, About{node.type},
            worded("the table's entry {} does not fit into {}", scope_.figure(value), node.type));
      table.integers.push_back(value);
    }
    scope_.reset(mark);
  }
  PlanSpace space;
  space.name = node.name;
  space.memory = PlanMemory::Table;
  space.index = static_cast<int>(plan_.tables.size());
  space.type = node.type;
  space.element_bytes = bytes;
  space.sizes = {count};
  space.pitch = count;
  space.bytes = count * bytes;
  plan_.tables.push_back(std::move(table));
  return scope_.define(at, std::move(space));
}

Planned<> PlanResolver::visit(const FillNode& node, std::size_t at) {
  const PlanSpan to = KW_TRY(scope_.span(node.to));
  KW_TRY(check_target(node.to, to));
  const std::string& type = to.space->type;
  const int bytes = to.space->element_bytes;
  std::uint64_t image = 0;
  if (is_real_plan_type(type) && !node.is_bits) {
    const double value = node.real ? KW_TRY(scope_.real(*node.real))
                                   : static_cast<double>(KW_TRY(scope_.value(*node.integer)));
    if (bytes == 2 && value != 0)
      return trouble(node.at, PlanFlaw::Unsupported, About{type},
                     fmt::format("elements of type {} can be filled only with 0 or bits(…)", type));
    if (bytes == 4) image = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (bytes == 8) image = std::bit_cast<std::uint64_t>(value);
  } else {
    if (!node.integer)
      return trouble(node.at, PlanFlaw::WrongKind, About{node.to.name},
                     fmt::format("'{}' has elements of type {}, which are filled with an integer",
                                 node.to.name, type));
    const std::int64_t value = KW_TRY(scope_.value(*node.integer));
    const bool is_good = node.is_bits ? is_pattern(bytes, value) : fits_plan_type(type, value);
    if (!is_good)
      return trouble(node.at, PlanFlaw::DoesNotFit, About{type},
                     worded("the fill value {} does not fit into {}", scope_.figure(value), type));
    image = low_bits(static_cast<std::uint64_t>(value), bytes);
  }
  if (bytes == 8 && (image >> 32) != low_bits(image, 4))
    return trouble(node.at, PlanFlaw::Unsupported, About{type},
                   fmt::format("elements of type {} can be filled only with values whose two "
                               "halves are equal, such as 0: write this value in a kernel",
                               type));
  PlanStep step;
  step.kind = StepKind::Fill;
  step.to = to.place();
  step.bytes = to.bytes;
  step.unit = bytes == 8 ? 4 : bytes;
  step.value = low_bits(image, step.unit);
  return order_.add(std::move(step), at);
}

Planned<> PlanResolver::visit(const CopyNode& node, std::size_t at) {
  const PlanSpan from = KW_TRY(scope_.span(node.from));
  PlanSpan to = KW_TRY(scope_.span(node.to));
  if (from.space->element_bytes != to.space->element_bytes)
    return trouble(node.to.at, PlanFlaw::TypesDiffer,
                   About{fmt::format("{} and {}", node.from.name, node.to.name)},
                   fmt::format("a copy cannot convert types: '{}' is {} and '{}' is {}",
                               node.from.name, from.space->type, node.to.name, to.space->type));
  if (from.bytes > to.space->bytes - to.offset)
    return trouble(
        node.to.at, PlanFlaw::Overrun, About{node.to.name},
        worded("a copy of {} bytes to byte {} of '{}' does not fit: the target has {} bytes",
               scope_.figure(from.bytes), scope_.figure(to.offset), node.to.name,
               scope_.figure(to.space->bytes)));
  to.bytes = from.bytes;
  KW_TRY(check_target(node.to, to));
  if (from.space == to.space && from.offset < to.offset + to.bytes &&
      to.offset < from.offset + from.bytes)
    return trouble(node.to.at, PlanFlaw::Overlap, About{"source and target"},
                   "the source and the target of this copy overlap");
  PlanStep step;
  step.kind = StepKind::Copy;
  step.from = from.place();
  step.to = to.place();
  step.bytes = from.bytes;
  return order_.add(std::move(step), at);
}

}  // namespace kw::task
