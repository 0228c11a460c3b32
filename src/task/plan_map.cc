// Resolves the tensor maps of a plan: the arguments of cuTensorMapEncodeTiled, and the driver's
// conditions on them (CUDA driver API 13.0, "Tensor Map Object Management").
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "task/plan_resolver.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxMaps = 1024;

struct Element {
  std::string_view name;
  int bytes;
  bool is_real;
};

constexpr auto kElements = std::to_array<Element>({{"u8", 1, false},
                                                   {"u16", 2, false},
                                                   {"u32", 4, false},
                                                   {"i32", 4, false},
                                                   {"u64", 8, false},
                                                   {"i64", 8, false},
                                                   {"f16", 2, true},
                                                   {"f32", 4, true},
                                                   {"f64", 8, true},
                                                   {"bf16", 2, true},
                                                   {"tf32", 4, true},
                                                   {"f32_ftz", 4, true},
                                                   {"tf32_ftz", 4, true}});

const Element* find_element(std::string_view name) {
  const auto found = std::ranges::find(kElements, name, &Element::name);
  return found == kElements.end() ? nullptr : found;
}

bool is_equal(const PlanTensorMap& a, const PlanTensorMap& b) {
  const auto key = [](const PlanTensorMap& m) {
    return std::tie(m.base.memory, m.base.index, m.base.offset, m.element, m.sizes, m.stride_bytes,
                    m.box, m.element_strides, m.interleave, m.swizzle, m.promotion, m.fill);
  };
  return key(a) == key(b);
}

std::string or_none(const PlanWord& word) { return word.text.empty() ? "none" : word.text; }

}  // namespace

Planned<> PlanResolver::visit(const MapNode& node, std::size_t at) {
  const PlanSpan base = KW_TRY(scope_.span(node.base));
  if (base.space->memory == PlanMemory::Table)
    return trouble(node.base.at, "a tensor map can describe a tensor or a workspace, not a table");
  PlanTensorMap map;
  map.name = node.name;
  map.base = base.place();
  map.element = node.element.text.empty() ? base.space->type : node.element.text;
  map.sizes = KW_TRY(scope_.values(node.sizes));
  map.stride_bytes = KW_TRY(scope_.values(node.strides));
  map.box = KW_TRY(scope_.values(node.box));
  map.element_strides = KW_TRY(scope_.values(node.steps));
  if (map.element_strides.empty()) map.element_strides.assign(map.sizes.size(), 1);
  map.interleave = or_none(node.interleave);
  map.swizzle = or_none(node.swizzle);
  map.promotion = or_none(node.promotion);
  map.fill = node.outside.text.empty() ? "zero" : node.outside.text;
  KW_TRY(check_map(node, at, map, base));
  auto& maps = plan_.tensor_maps;
  const auto same = std::ranges::find_if(maps, [&](const auto& m) { return is_equal(m, map); });
  PlanSpace space;
  space.name = node.name;
  space.map = static_cast<int>(same - maps.begin());
  if (same == maps.end()) {
    if (maps.size() == kMaxMaps)
      return trouble(at, fmt::format("the plan has more than {} different tensor maps", kMaxMaps));
    maps.push_back(std::move(map));
  }
  return scope_.define(at, std::move(space));
}

Planned<> PlanResolver::check_map(const MapNode& node, std::size_t at, const PlanTensorMap& map,
                                  const PlanSpan& base) const {
  constexpr std::int64_t kMostSize = std::int64_t{1} << 32;
  constexpr std::int64_t kMostStride = std::int64_t{1} << 40;
  const auto figure = [&](std::int64_t value) { return scope_.figure(value); };
  const Element* element = find_element(map.element);
  if (element == nullptr) {
    std::vector<std::string> known;
    for (const Element& e : kElements) known.emplace_back(e.name);
    return trouble(node.element.text.empty() ? node.base.at : node.element.at,
                   fmt::format("a tensor map has no elements of type '{}'; there are {}{}",
                               sanitise(map.element, 40), fmt::join(known, ", "),
                               suggestion(map.element, known)));
  }
  const bool is_interleaved = map.interleave != "none";
  const std::int64_t unit = map.interleave == "32" ? 32 : 16;
  if (is_interleaved && map.sizes.size() < 3)
    return trouble(node.interleave.at, "a tensor map with interleave needs 3 dimensions or more");
  if (map.interleave == "32" && map.swizzle != "32")
    return trouble(node.interleave.at, "a tensor map with interleave(32) needs swizzle(32)");
  if (map.fill == "nan" && !element->is_real)
    return trouble(node.outside.at,
                   fmt::format("outside(nan) is impossible here: elements of type {} have no NaN",
                               map.element));
  if (base.offset % unit != 0 || base.space->alignment % unit != 0)
    return trouble(node.base.at,
                   fmt::format("a tensor map must begin at a multiple of {} bytes, and this one "
                               "begins at byte {} of a tensor aligned to {} bytes",
                               unit, figure(base.offset), base.space->alignment));
  // One past the last byte that the tensor map addresses, counted from its base.
  std::int64_t reach = element->bytes;
  bool overflow = false;
  for (std::size_t i = 0; i < map.sizes.size(); ++i) {
    const std::int64_t size = map.sizes[i];
    if (size < 1 || size > kMostSize)
      return trouble(
          node.sizes[i].at,
          fmt::format("a size of this tensor map is {}; sizes are 1 to 2^32", figure(size)));
    if (map.box[i] < 1 || map.box[i] > 256)
      return trouble(
          node.box[i].at,
          fmt::format("a size of this tensor map's box is {}; sizes of a box are 1 to 256",
                      figure(map.box[i])));
    if (map.element_strides[i] < 1 || map.element_strides[i] > 8)
      return trouble(node.steps[i].at,
                     fmt::format("a step of this tensor map is {}; steps are 1 to 8",
                                 figure(map.element_strides[i])));
    const std::int64_t stride = i == 0 ? element->bytes : map.stride_bytes[i - 1];
    if (i > 0 && (stride < 1 || stride >= kMostStride || stride % unit != 0))
      return trouble(
          node.strides[i - 1].at,
          fmt::format(
              "a stride of this tensor map is {} bytes; strides are multiples of {} below 2^40",
              figure(stride), unit));
    std::int64_t more = 0;
    overflow = overflow || __builtin_mul_overflow(size - 1, stride, &more) ||
               __builtin_add_overflow(reach, more, &reach);
  }
  if (overflow || reach > base.space->bytes - base.offset)
    return trouble(at,
                   fmt::format("this tensor map reaches beyond the end of '{}': to byte {} of {}",
                               node.base.name, overflow ? "?" : figure(base.offset + reach),
                               figure(base.space->bytes)));
  const std::int64_t row = map.box[0] * element->bytes;
  if (!is_interleaved && row % 16 != 0)
    return trouble(
        node.box[0].at,
        fmt::format(
            "the innermost row of this tensor map's box has {} bytes, which is no multiple of 16",
            figure(row)));
  if (!is_interleaved && map.swizzle != "none" && row > std::stoll(map.swizzle))
    return trouble(
        node.box[0].at,
        fmt::format(
            "the innermost row of this tensor map's box has {} bytes, more than the swizzle's {}",
            figure(row), map.swizzle));
  return {};
}

}  // namespace kw::task
