// The table of the kinds of value distributions, with their keys, defaults and limits.
// SPDX-License-Identifier: Apache-2.0
#include "task/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kw::task {
namespace {

struct Key {
  std::string_view name;
  double standard;
  double lowest;
  double highest;
};

struct Kind {
  std::string_view name;
  bool needs_real;  ///< Whether the kind is meaningless for integer tensors.
  std::vector<Key> keys;
};

constexpr double kMostAxes = 8;
constexpr double kPlantedShare = 1.0 / 64;
constexpr double kFar = 1e30;  // keeps every finite random value inside float32

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {"uniform", false, {{"lo", 0, -kFar, kFar}, {"hi", 1, -kFar, kFar}}},
      {"normal", true, {{"mean", 0, -kFar, kFar}, {"std", 1, 0, kFar}}},
      {"offset_scale", true, {}},
      {"ramp", false, {{"lo", 0, -kFar, kFar}, {"hi", 1, -kFar, kFar}}},
      {"spikes", true, {{"std", 1, 0, kFar}, {"share", 0.01, 0, 1}, {"height", 100, -kFar, kFar}}},
      {"ties", false, {{"levels", 4, 1, 1 << 20}}},
      {"mixed", true, {{"lo_exp", -8, -126, 100}, {"hi_exp", 8, -126, 100}}},
      // Every integer up to 2^24 is exact in float32.
      {"integers", false, {{"lo", -8, -16777216, 16777216}, {"hi", 8, -16777216, 16777216}}},
      {"planted",
       true,
       {{"std", 1, 0, kFar},
        {"over", 0, 0, kMostAxes},
        {"axes", 1, 1, kMostAxes},
        {"share", kPlantedShare, 0, 1},
        {"density", 0, 0, 1},
        {"value", 1, -kFar, kFar},
        {"rest", 0, -kFar, kFar},
        {"keep", 0, 0, 1}}},
      {"grid",
       true,
       {{"over", 0, 0, kMostAxes},
        {"axes", 1, 1, kMostAxes},
        {"share", 0, 0, 1},
        {"density", 0, 0, 1}}},
      {"counted",
       true,
       {{"over", 0, 0, kMostAxes}, {"axes", 1, 1, kMostAxes}, {"share", kPlantedShare, 0, 1}}},
      {"constant", false, {{"value", 0, -kFar, kFar}}},
      {"zero", false, {}},
      {"points", true, {}},
  };
  return table;
}

/// The key with narrower limits for a two-byte dtype, so that random values are exact or finite.
Key limited(Key key, const Kind& kind, Dtype dtype) {
  const auto within = [&](double lowest, double highest) {
    key.lowest = std::max(key.lowest, lowest);
    key.highest = std::min(key.highest, highest);
  };
  if (kind.name == "integers" && dtype == Dtype::F16) within(-2048, 2048);
  if (kind.name == "integers" && dtype == Dtype::BF16) within(-256, 256);
  if (kind.name == "mixed" && dtype == Dtype::F16) within(-14, 15);
  if (key.highest == kFar && dtype == Dtype::F16) within(-65504, 65504);
  return key;
}

void read_keys(FileReport& report, const Section& section, const Kind& kind, Dtype dtype,
               ValuesSpec& spec) {
  for (const Key& any : kind.keys) {
    const Key key = limited(any, kind, dtype);
    double value = key.standard;
    if (const Yaml* node = section.find(key.name)) {
      value = read_number(report, *node, key.name).value_or(key.standard);
      if (value < key.lowest || value > key.highest)
        report.add(node->place, fmt::format("{} must lie in {} to {}, not {}", key.name, key.lowest,
                                            key.highest, value));
    }
    spec.numbers[std::string(key.name)] = value;
  }
  for (const auto& [low, high] : {std::pair{"lo", "hi"}, std::pair{"lo_exp", "hi_exp"}})
    if (spec.numbers.contains(low) && spec.numbers[low] > spec.numbers[high])
      report.add(spec.place, fmt::format("the values' {} of {} is above their {} of {}", low,
                                         spec.numbers[low], high, spec.numbers[high]));
}

std::vector<std::string> read_scalar_names(FileReport& report, const Section& section,
                                           std::string_view key,
                                           std::span<const ScalarSpec> scalars) {
  std::vector<std::string> known;
  for (const auto& scalar : scalars)
    if (is_real(scalar.dtype)) known.push_back(scalar.name);
  std::vector<std::string> names;
  const Yaml* list = section.require(key);
  if (list == nullptr) return names;
  for (const Yaml& item : read_list(report, *list, key)) {
    const auto name = read_text(report, item, key);
    if (name && std::ranges::find(known, *name) == known.end())
      report.add(item.place, fmt::format("{} names '{}', which is no floating-point scalar{}", key,
                                         sanitise(*name, 40), suggestion(*name, known)));
    names.push_back(name.value_or(""));
  }
  return names;
}

void read_points(FileReport& report, const Section& section, std::span<const std::string> known,
                 std::span<const ScalarSpec> scalars, ValuesSpec& spec) {
  spec.origin = read_scalar_names(report, section, "origin", scalars);
  spec.step = read_scalar_names(report, section, "step", scalars);
  if (const Yaml* list = section.require("count"))
    for (const Yaml& item : read_list(report, *list, "count"))
      if (auto formula = read_formula(report, item, "count", known))
        spec.count.push_back(std::move(*formula));
  if (spec.origin.size() != spec.step.size() || spec.origin.size() != spec.count.size())
    report.add(spec.place,
               "'origin', 'step' and 'count' of the values must have one entry for each axis");
}

}  // namespace

std::optional<ValuesSpec> read_values(FileReport& report, const Yaml& node, Dtype dtype,
                                      std::span<const std::string> known,
                                      std::span<const ScalarSpec> scalars) {
  const Yaml* kind_node = node.find("kind");
  if (kind_node == nullptr) {
    report.add(node.place, "values need a kind, for example { kind: normal, mean: 0, std: 1 }");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  const auto index = read_choice(report, *kind_node, "kind", names);
  if (!index) return std::nullopt;
  const Kind& kind = kinds()[*index];
  if (kind.name == "counted" && is_half(dtype)) {
    report.add(
        kind_node->place,
        fmt::format("kind 'counted' needs f32 or f64, this is {}, in which sums are not exact",
                    kw::name_of(dtype)));
    return std::nullopt;
  }
  if (kind.needs_real && !is_real(dtype)) {
    report.add(kind_node->place, fmt::format("kind '{}' needs a floating-point tensor, this is {}",
                                             kind.name, kw::name_of(dtype)));
    return std::nullopt;
  }
  const bool is_points = kind.name == "points";
  std::vector<std::string> keys = {"kind"};
  for (const Key& key : kind.keys) keys.emplace_back(key.name);
  if (is_points) keys.insert(keys.end(), {"origin", "step", "count"});
  const Section section(report, node, fmt::format("values of kind '{}'", kind.name), keys);
  ValuesSpec spec;
  spec.kind = kind.name;
  spec.place = node.place;
  read_keys(report, section, kind, dtype, spec);
  if (is_points) read_points(report, section, known, scalars, spec);
  return spec;
}

ValuesSpec default_values(Dtype dtype) {
  ValuesSpec spec;
  if (is_real(dtype)) {
    spec.numbers = {{"mean", 0}, {"std", 1}};
  } else {
    spec.kind = "integers";
    const bool is_byte = dtype == Dtype::U8;
    spec.numbers = {{"lo", is_byte ? 0 : -8}, {"hi", is_byte ? 255 : 8}};
  }
  return spec;
}

}  // namespace kw::task
