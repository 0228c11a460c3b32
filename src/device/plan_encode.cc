// Turns the records of record/plan.h into those of player/plan_wire.h.
// SPDX-License-Identifier: Apache-2.0
#include "device/plan_encode.h"
#include "device/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "base/text.h"
#include "player/plan_wire.h"

namespace kw::device {
namespace {

using player::PlanParts;
using player::WirePlace;

/// Index of a word in a list that has the order of the driver's enumeration.
Result<std::uint32_t> number_of(std::string_view word, std::span<const std::string_view> words,
                                const char* what, const std::string& map) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<std::uint32_t>(i);
  return fail(ErrorCode::Unsupported, About{std::string(word)},
              fmt::format("tensor map {} of the plan names an unknown {}: '{}'", map, what, word));
}

// CUtensorMapDataType and its companions, in the driver's order (CUDA driver API, 12.0).
constexpr std::array<std::string_view, 13> kElements{"u8",      "u16",  "u32",     "i32", "u64",
                                                     "i64",     "f16",  "f32",     "f64", "bf16",
                                                     "f32_ftz", "tf32", "tf32_ftz"};
constexpr std::array<std::string_view, 3> kInterleaves{"none", "16", "32"};
constexpr std::array<std::string_view, 4> kSwizzles{"none", "32", "64", "128"};
constexpr std::array<std::string_view, 4> kPromotions{"none", "64", "128", "256"};
constexpr std::array<std::string_view, 2> kFills{"zero", "nan"};

class Encoder {
 public:
  Encoder(const Plan& plan, const PlanOperands& operands) : plan_(plan), operands_(operands) {}

  Result<std::vector<std::byte>> encode() {
    if (plan_.steps.size() > player::kMaxPlanSteps)
      return fail(ErrorCode::TooLarge, About{"steps"},
                  fmt::format("the launch plan has {} steps; at most {} are possible",
                              plan_.steps.size(), player::kMaxPlanSteps));
    for (const PlanTable& table : plan_.tables) KW_TRY(add_table(table));
    for (const PlanTensorMap& map : plan_.tensor_maps) KW_TRY(add_map(map));
    for (const PlanStep& step : plan_.steps) KW_TRY(add_step(step));
    auto bytes = player::encode_plan(parts_);
    if (bytes.size() > player::kMaxPlanBytes)
      return fail(
          ErrorCode::TooLarge, About{"bytes"},
          fmt::format(
              "the launch plan takes {}, and at most {} are possible: make its tables smaller",
              format_bytes(bytes.size()), format_bytes(player::kMaxPlanBytes)));
    // A player would refuse these bytes: the plan has numbers that no launch can have, or this
    // encoder made a mistake.
    if (!player::decode_plan(bytes).has_value())
      return fail(
          ErrorCode::OutOfRange, About{"launch"},
          "the launch plan holds a number that no launch can have, such as a grid of more than "
          "2^31 - 1 blocks");
    return bytes;
  }

 private:
  template <class To>
  static Result<To> fit(std::int64_t value, const char* what) {
    if (value < 0 || static_cast<std::uint64_t>(value) > std::numeric_limits<To>::max())
      return fail(ErrorCode::OutOfRange, About{what}, fmt::format("{} cannot be {}", what, value));
    return static_cast<To>(value);
  }

  Result<WirePlace> place(const PlanPlace& p) const {
    WirePlace out;
    out.offset = KW_TRY(fit<std::uint64_t>(p.offset, "an offset"));
    const auto index = static_cast<std::size_t>(p.index);
    if (p.memory == PlanMemory::Table) {
      if (p.index < 0 || index >= plan_.tables.size())
        return fail(ErrorCode::NotFound, About{fmt::format("table {}", p.index)},
                    fmt::format("the launch plan uses table {}, which it does not have", p.index));
      out.kind = player::PlaceKind::Table;
      out.index = static_cast<std::uint32_t>(index);
      return out;
    }
    const auto& list = p.memory == PlanMemory::Tensor ? operands_.tensors : operands_.workspaces;
    if (p.index < 0 || index >= list.size() || list[index] < 0)
      return fail(ErrorCode::NotFound, About{fmt::format("{} {}", name_of(p.memory), p.index)},
                  fmt::format("the launch plan uses {} {}, which does not exist", name_of(p.memory),
                              p.index));
    out.index = static_cast<std::uint32_t>(list[index]);
    return out;
  }

  template <class T, class From>
  void append(const std::vector<From>& values) {
    for (const From& value : values) {
      const auto narrow = static_cast<T>(value);
      const auto* bytes = reinterpret_cast<const std::byte*>(&narrow);
      parts_.data.insert(parts_.data.end(), bytes, bytes + sizeof narrow);
    }
  }

  Result<> add_table(const PlanTable& table) {
    parts_.data.resize((parts_.data.size() + 7) / 8 * 8);
    const std::size_t begin = parts_.data.size();
    if (is_half(table.dtype) || table.dtype == Dtype::Bool)
      return fail(
          ErrorCode::Unsupported, About{table.name},
          fmt::format("table {} of the launch plan has the type {}, which tables cannot hold",
                      table.name, name_of(table.dtype)));
    with_element(table.dtype, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>)
        append<T>(table.reals);
      else if constexpr (std::is_integral_v<T>)
        append<T>(table.integers);
    });
    if (parts_.data.size() == begin)
      return fail(ErrorCode::Missing, About{table.name},
                  fmt::format("table {} of the launch plan has no entries", table.name));
    parts_.tables.push_back({begin, parts_.data.size() - begin});
    return {};
  }

  Result<> add_map(const PlanTensorMap& map) {
    player::WireTensorMap out;
    const std::size_t rank = map.sizes.size();
    if (rank < 1 || rank > player::kMaxTensorMapRank || map.box.size() != rank ||
        map.stride_bytes.size() + 1 != rank ||
        (!map.element_strides.empty() && map.element_strides.size() != rank))
      return fail(
          ErrorCode::Contradiction, About{map.name},
          fmt::format("tensor map {} of the launch plan: sizes, box and element strides need one "
                      "number for each dimension, strides one fewer",
                      map.name));
    out.rank = static_cast<std::uint32_t>(rank);
    out.base = KW_TRY(place(map.base));
    out.element = KW_TRY(number_of(map.element, kElements, "element type", map.name));
    out.interleave = KW_TRY(number_of(map.interleave, kInterleaves, "interleave", map.name));
    out.swizzle = KW_TRY(number_of(map.swizzle, kSwizzles, "swizzle", map.name));
    out.promotion = KW_TRY(number_of(map.promotion, kPromotions, "promotion", map.name));
    out.fill = KW_TRY(number_of(map.fill, kFills, "fill", map.name));
    for (std::size_t d = 0; d < rank; ++d) {
      out.sizes[d] = KW_TRY(fit<std::uint64_t>(map.sizes[d], "a size of a tensor map"));
      out.box[d] = KW_TRY(fit<std::uint32_t>(map.box[d], "a box of a tensor map"));
      const std::int64_t stride = map.element_strides.empty() ? 1 : map.element_strides[d];
      out.element_strides[d] = KW_TRY(fit<std::uint32_t>(stride, "an element stride"));
      if (d + 1 < rank)
        out.strides[d] = KW_TRY(fit<std::uint64_t>(map.stride_bytes[d], "a stride"));
    }
    parts_.maps.push_back(out);
    return {};
  }

  Result<> add_argument(const PlanArgument& a) {
    player::WirePlanArgument out;
    out.parameter = KW_TRY(fit<std::uint32_t>(a.parameter, "a parameter's number"));
    out.at = KW_TRY(fit<std::uint32_t>(a.at, "an offset inside a kernel parameter"));
    out.bytes = KW_TRY(fit<std::uint32_t>(a.bytes, "the size of a kernel argument"));
    switch (a.kind) {
      case ArgumentKind::Scalar:
        out.image = a.image;
        break;
      case ArgumentKind::Address:
        out.kind = player::WireArgumentKind::Address;
        out.place = KW_TRY(place(a.place));
        break;
      case ArgumentKind::TensorMap:
        out.kind = player::WireArgumentKind::TensorMap;
        out.map = KW_TRY(fit<std::uint32_t>(a.map, "a tensor map's number"));
        break;
    }
    parts_.arguments.push_back(out);
    return {};
  }

  /// Sets three extents; missing ones become `otherwise`.
  static Result<> fill_extents(std::uint32_t (&to)[3], const std::vector<std::int64_t>& from,
                               std::uint32_t otherwise, const char* what) {
    if (from.size() > 3)
      return fail(ErrorCode::TooLarge, About{what},
                  fmt::format("{} has more than three sizes", what));
    for (std::size_t d = 0; d < 3; ++d) {
      to[d] = d < from.size() ? KW_TRY(fit<std::uint32_t>(from[d], what)) : otherwise;
      if (d < from.size() && to[d] == 0)
        return fail(ErrorCode::OutOfRange, About{what}, fmt::format("{} has a size of 0", what));
    }
    return {};
  }

  Result<> add_launch(const PlanStep& step, player::WireStep& out) {
    const std::string symbol = operands_.symbol ? operands_.symbol(step.kernel) : step.kernel;
    if (symbol.empty())
      return fail(ErrorCode::NotFound, About{step.kernel},
                  fmt::format("the compiled code has no kernel {} that the plan could launch",
                              step.kernel));
    out.name = static_cast<std::uint32_t>(parts_.names.size());
    out.name_bytes = static_cast<std::uint32_t>(symbol.size());
    parts_.names.insert(parts_.names.end(), symbol.begin(), symbol.end());
    const std::string where = fmt::format("launch {}: the ", step.kernel);
    KW_TRY(fill_extents(out.grid, step.grid, 1, (where + "grid").c_str()));
    KW_TRY(fill_extents(out.block, step.block, 1, (where + "block").c_str()));
    if (!step.cluster.empty())
      KW_TRY(fill_extents(out.cluster, step.cluster, 1, (where + "cluster").c_str()));
    out.shared_bytes = KW_TRY(fit<std::uint32_t>(step.shared_bytes, "shared memory"));
    out.carveout = step.carveout;
    out.flags = (step.cooperative ? player::kStepCooperative : 0) |
                (step.programmatic ? player::kStepProgrammatic : 0);
    return add_arguments(step, out);
  }

  Result<> add_arguments(const PlanStep& step, player::WireStep& out) {
    out.first_argument = static_cast<std::uint32_t>(parts_.arguments.size());
    out.arguments = static_cast<std::uint32_t>(step.arguments.size());
    for (const PlanArgument& a : step.arguments) KW_TRY(add_argument(a));
    return {};
  }

  Result<> add_step(const PlanStep& step) {
    player::WireStep out;
    out.branch = KW_TRY(fit<std::uint32_t>(step.branch, "a branch"));
    out.first_after = static_cast<std::uint32_t>(parts_.afters.size());
    out.afters = static_cast<std::uint32_t>(step.after.size());
    for (const int after : step.after)
      parts_.afters.push_back(KW_TRY(fit<std::uint32_t>(after, "a step's number")));
    if (step.kind == StepKind::Launch) {
      KW_TRY(add_launch(step, out));
    } else if (step.kind == StepKind::Call) {
      out.kind = player::WireStepKind::Call;
      KW_TRY(add_arguments(step, out));
    } else {
      const bool is_copy = step.kind == StepKind::Copy;
      out.kind = is_copy ? player::WireStepKind::Copy : player::WireStepKind::Fill;
      out.to = KW_TRY(place(step.to));
      if (is_copy) out.from = KW_TRY(place(step.from));
      out.bytes = KW_TRY(fit<std::uint64_t>(step.bytes, "the size of a fill or copy"));
      out.unit = KW_TRY(fit<std::uint32_t>(step.unit, "the unit of a fill"));
      out.value = step.value;
    }
    parts_.steps.push_back(out);
    return {};
  }

  const Plan& plan_;
  const PlanOperands& operands_;
  PlanParts parts_;
};

}  // namespace

Result<std::vector<std::byte>> encode_plan(const Plan& plan, const PlanOperands& operands) {
  return Encoder(plan, operands).encode();
}

}  // namespace kw::device
