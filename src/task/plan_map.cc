// Resolves the tensor maps of a plan: the arguments of cuTensorMapEncodeTiled, and the driver's
// conditions on them (CUDA driver API 13.0, "Tensor Map Object Management").
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/with_nearest.h"
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

/// Checks a tensor map against the driver's conditions. All references are borrowed.
class MapCheck {
 public:
  MapCheck(const MapNode& node, std::size_t at, const PlanTensorMap& map, const PlanSpan& base,
           const PlanScope& scope)
      : node_(node), at_(at), map_(map), base_(base), scope_(scope) {}

  Planned<> run() const {
    const Element& element = *KW_TRY(find_known_element());
    KW_TRY(check_form(element));
    for (std::size_t i = 0; i < map_.sizes.size(); ++i) KW_TRY(check_dimension(element, i));
    KW_TRY(check_reach(element));
    return check_row(element);
  }

 private:
  bool is_interleaved() const { return map_.interleave != "none"; }
  /// The bytes of which the base and all strides are multiples.
  std::int64_t unit() const { return map_.interleave == "32" ? 32 : 16; }
  std::int64_t stride(const Element& element, std::size_t dimension) const {
    return dimension == 0 ? element.bytes : map_.stride_bytes[dimension - 1];
  }
  Wording figure(std::int64_t value) const { return scope_.figure(value); }

  Planned<const Element*> find_known_element() const {
    if (const Element* element = find_element(map_.element)) return element;
    std::vector<std::string> known;
    for (const Element& e : kElements) known.emplace_back(e.name);
    return trouble(node_.element.text.empty() ? node_.base.at : node_.element.at, PlanFlaw::Unknown,
                   About{with_nearest(sanitise(map_.element, 40), known)},
                   fmt::format("a tensor map has no elements of type '{}'; there are {}{}",
                               sanitise(map_.element, 40), fmt::join(known, ", "),
                               suggestion(map_.element, known)));
  }

  Planned<> check_form(const Element& element) const {
    if (is_interleaved() && map_.sizes.size() < 3)
      return trouble(node_.interleave.at, PlanFlaw::Contradiction, About{"interleave"},
                     "a tensor map with interleave needs 3 dimensions or more");
    if (map_.interleave == "32" && map_.swizzle != "32")
      return trouble(node_.interleave.at, PlanFlaw::Contradiction, About{"swizzle"},
                     "a tensor map with interleave(32) needs swizzle(32)");
    if (map_.fill == "nan" && !element.is_real)
      return trouble(node_.outside.at, PlanFlaw::Unsupported, About{"nan of " + map_.element},
                     fmt::format("outside(nan) is impossible here: elements of type {} have no NaN",
                                 map_.element));
    if (base_.offset % unit() != 0 || base_.space->alignment % unit() != 0)
      return trouble(node_.base.at, PlanFlaw::NoMultiple, About{"base"},
                     worded("a tensor map must begin at a multiple of {} bytes, and this one "
                            "begins at byte {} of a tensor aligned to {} bytes",
                            unit(), figure(base_.offset), base_.space->alignment));
    return {};
  }

  Planned<> check_dimension(const Element& element, std::size_t i) const {
    constexpr std::int64_t kMostSize = std::int64_t{1} << 32;
    constexpr std::int64_t kMostStride = std::int64_t{1} << 40;
    if (map_.sizes[i] < 1 || map_.sizes[i] > kMostSize)
      return trouble(
          node_.sizes[i].at, PlanFlaw::OutOfRange, About{"sizes"},
          worded("a size of this tensor map is {}; sizes are 1 to 2^32", figure(map_.sizes[i])));
    if (map_.box[i] < 1 || map_.box[i] > 256)
      return trouble(node_.box[i].at, PlanFlaw::OutOfRange, About{"box"},
                     worded("a size of this tensor map's box is {}; sizes of a box are 1 to 256",
                            figure(map_.box[i])));
    if (map_.element_strides[i] < 1 || map_.element_strides[i] > 8)
      return trouble(node_.steps[i].at, PlanFlaw::OutOfRange, About{"steps"},
                     worded("a step of this tensor map is {}; steps are 1 to 8",
                            figure(map_.element_strides[i])));
    const std::int64_t bytes = stride(element, i);
    if (i > 0 && (bytes < 1 || bytes >= kMostStride || bytes % unit() != 0))
      return trouble(
          node_.strides[i - 1].at, PlanFlaw::NoMultiple, About{"strides"},
          worded("a stride of this tensor map is {} bytes; strides are multiples of {} below 2^40",
                 figure(bytes), unit()));
    return {};
  }

  Planned<> check_reach(const Element& element) const {
    // One past the last byte that the tensor map addresses, counted from its base.
    std::int64_t reach = element.bytes;
    bool overflow = false;
    for (std::size_t i = 0; i < map_.sizes.size(); ++i) {
      std::int64_t more = 0;
      overflow = overflow || __builtin_mul_overflow(map_.sizes[i] - 1, stride(element, i), &more) ||
                 __builtin_add_overflow(reach, more, &reach);
    }
    if (overflow || reach > base_.space->bytes - base_.offset)
      return trouble(
          at_, PlanFlaw::Overrun, About{node_.base.name},
          worded("this tensor map reaches beyond the end of '{}': to byte {} of {}",
                 node_.base.name, overflow ? Wording{"?", {}} : figure(base_.offset + reach),
                 figure(base_.space->bytes)));
    return {};
  }

  Planned<> check_row(const Element& element) const {
    const std::int64_t row = map_.box[0] * element.bytes;
    if (!is_interleaved() && row % 16 != 0)
      return trouble(node_.box[0].at, PlanFlaw::NoMultiple, About{"row of the box"},
                     worded("the innermost row of this tensor map's box has {} bytes, which "
                            "is no multiple of 16",
                            figure(row)));
    if (!is_interleaved() && map_.swizzle != "none" && row > std::stoll(map_.swizzle))
      return trouble(node_.box[0].at, PlanFlaw::OutOfRange, About{"row of the box"},
                     worded("the innermost row of this tensor map's box has {} bytes, more "
                            "than the swizzle's {}",
                            figure(row), map_.swizzle));
    return {};
  }

  const MapNode& node_;
  std::size_t at_;
  const PlanTensorMap& map_;
  const PlanSpan& base_;
  const PlanScope& scope_;
};

}  // namespace

Planned<> PlanResolver::visit(const MapNode& node, std::size_t at) {
  const PlanSpan base = KW_TRY(scope_.span(node.base));
  if (base.space->memory == PlanMemory::Table)
    return trouble(node.base.at, PlanFlaw::WrongKind, About{node.base.name},
                   "a tensor map can describe a tensor or a workspace, not a table");
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
  KW_TRY(MapCheck(node, at, map, base, scope_).run());
  auto& maps = plan_.tensor_maps;
  const auto same = std::ranges::find_if(maps, [&](const auto& m) { return is_equal(m, map); });
  PlanSpace space;
  space.name = node.name;
  space.map = static_cast<int>(same - maps.begin());
  if (same == maps.end()) {
    if (maps.size() == kMaxMaps)
      return trouble(at, PlanFlaw::TooMany, About{"tensor maps"},
                     worded("the plan has more than {} different tensor maps", kMaxMaps));
    maps.push_back(std::move(map));
  }
  return scope_.define(at, std::move(space));
}

}  // namespace kw::task
