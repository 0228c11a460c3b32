// The table of the kinds of value distributions, with their keys, defaults and limits.
// SPDX-License-Identifier: Apache-2.0
#include "task/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/with_nearest.h"
#include "record/coded_inputs.h"

namespace kw::task {
namespace {

struct Key {
  std::string_view name;
  double standard;
  double lowest;
  double highest;
};

enum class For { Any, Reals, Integers };

struct Kind {
  std::string_view name;
  For tensors;  ///< For which tensors the kind has a meaning.
  std::vector<Key> keys;
};

constexpr double kMostAxes = 8;
constexpr double kPlantedShare = 1.0 / 64;
constexpr double kFar = 1e30;                // keeps every finite random value inside float32
constexpr double kMostExact = 0x1p53;        // every integer up to it is exact in float64
constexpr double kMostExactSingle = 0x1p24;  // … in float32

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {"uniform", For::Any, {{"lo", 0, -kFar, kFar}, {"hi", 1, -kFar, kFar}}},
      {"normal", For::Reals, {{"mean", 0, -kFar, kFar}, {"std", 1, 0, kFar}}},
      {"offset_scale", For::Reals, {}},
      {"ramp", For::Any, {{"lo", 0, -kFar, kFar}, {"hi", 1, -kFar, kFar}}},
      {"spikes",
       For::Reals,
       {{"std", 1, 0, kFar}, {"share", 0.01, 0, 1}, {"height", 100, -kFar, kFar}}},
      {"ties", For::Any, {{"levels", 4, 1, 1 << 20}}},
      {"mixed", For::Reals, {{"lo_exp", -8, -126, 100}, {"hi_exp", 8, -126, 100}}},
      {"integers",
       For::Any,
       {{"lo", -8, -kMostExact, kMostExact}, {"hi", 8, -kMostExact, kMostExact}}},
      {"planted",
       For::Reals,
       {{"std", 1, 0, kFar},
        {"over", 0, 0, kMostAxes},
        {"axes", 1, 1, kMostAxes},
        {"share", kPlantedShare, 0, 1},
        {"density", 0, 0, 1},
        {"value", 1, -kFar, kFar},
        {"rest", 0, -kFar, kFar},
        {"keep", 0, 0, 1}}},
      {"grid",
       For::Reals,
       {{"over", 0, 0, kMostAxes},
        {"axes", 1, 1, kMostAxes},
        {"share", 0, 0, 1},
        {"density", 0, 0, 1}}},
      {"counted",
       For::Reals,
       {{"over", 0, 0, kMostAxes}, {"axes", 1, 1, kMostAxes}, {"share", kPlantedShare, 0, 1}}},
      {"constant", For::Any, {{"value", 0, -kFar, kFar}}},
      {"zero", For::Any, {}},
      {"points", For::Reals, {}},
      {kCodedKind, For::Any, {{"constant", 0, 0, 1}}},
      {"offsets", For::Integers, {}},
      {"permutation", For::Integers, {{"whole", 0, 0, 1}}},
      {"one_hot", For::Any, {}},
      {"sorted", For::Any, {{"lo", 0, -kFar, kFar}, {"hi", 1, -kFar, kFar}}},
      {"spd", For::Reals, {}},
      {"dominant", For::Reals, {}},
      {"triangular", For::Reals, {{"upper", 0, 0, 1}}},
      {"special", For::Reals, {{"std", 1, 0, kFar}, {"share", 0.05, 0, 1}, {"nonfinite", 0, 0, 1}}},
  };
  return table;
}

/// The key with narrower limits for a dtype, so that random values are exact, finite and values of
/// the type.
Key limited(Key key, const Kind& kind, Dtype dtype) {
  const auto within = [&](double lowest, double highest) {
    key.lowest = std::max(key.lowest, lowest);
    key.highest = std::min(key.highest, highest);
  };
  if (kind.name == "integers" && is_real(dtype)) within(-kMostExactSingle, kMostExactSingle);
  if (kind.name == "integers" && dtype == Dtype::F16) within(-2048, 2048);
  if (kind.name == "integers" && dtype == Dtype::BF16) within(-256, 256);
  if (kind.name == "mixed" && dtype == Dtype::F16) within(-14, 15);
  if (key.highest == kFar && dtype == Dtype::F16) within(-65504, 65504);
  if (key.name == "nonfinite" && is_half(dtype)) within(0, 0);  // beyond the largest number is none
  // Values of other integers would be drawn and then cut off at the type's limits.
  if (!is_real(dtype) && (key.name == "lo" || key.name == "hi" || key.name == "value"))
    within(static_cast<double>(row_of(dtype).lowest), static_cast<double>(row_of(dtype).highest));
  return key;
}

/// Reads a parameter that is a number or, if it is no number, a formula over the names `known`.
void read_key(FileReport& report, const Yaml& node, const std::string& key,
              std::span<const std::string> known, ValuesSpec& spec) {
  if (is_number(node)) {
    if (const auto number = read_number(report, node, key)) spec.numbers[key] = *number;
    return;
  }
  spec.numbers.erase(key);
  if (auto formula = read_formula(report, node, key, known))
    spec.formulas.emplace(key, std::move(*formula));
}

void read_keys(FileReport& report, const Section& section, const Kind& kind, Dtype dtype,
               std::span<const std::string> known, ValuesSpec& spec) {
  for (const Key& any : kind.keys) {
    const Key key = limited(any, kind, dtype);
    const std::string name(key.name);
    spec.numbers[name] = std::clamp(key.standard, key.lowest, key.highest);
    if (const Yaml* node = section.find(key.name)) read_key(report, *node, name, known, spec);
  }
  for (const BadNumber& bad : bad_numbers(kind.name, spec.numbers, dtype)) {
    const Yaml* node = section.find(bad.key);
    report.add(node != nullptr ? node->place : spec.place, About{bad.about}, bad.message);
  }
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
      report.add(item.place,
                 About{fmt::format("{}: {}", key, with_nearest(sanitise(*name, 40), known))},
                 fmt::format("{} names '{}', which is no floating-point scalar{}", key,
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
    report.add(spec.place, About{"values: axes"},
               "'origin', 'step' and 'count' of the values must have one entry for each axis");
}

}  // namespace

std::vector<BadNumber> bad_numbers(std::string_view name,
                                   const std::map<std::string, double>& numbers, Dtype dtype) {
  std::vector<BadNumber> bad;
  const auto kind = std::ranges::find(kinds(), name, &Kind::name);
  if (kind == kinds().end()) return bad;
  const auto number = [&](std::string_view key) {
    const auto found = numbers.find(std::string(key));
    return found == numbers.end() ? std::optional<double>() : found->second;
  };
  for (const Key& any : kind->keys) {
    const Key key = limited(any, *kind, dtype);
    const auto value = number(key.name);
    if (value && (*value < key.lowest || *value > key.highest))
      bad.push_back({std::string(key.name), fmt::format("{}: {}", key.name, *value),
                     fmt::format("{} must lie in {} to {}, not {}", key.name, key.lowest,
                                 key.highest, *value)});
  }
  for (const auto& [low, high] : {std::pair{"lo", "hi"}, std::pair{"lo_exp", "hi_exp"}})
    if (number(low) && number(high) && *number(low) > *number(high))
      bad.push_back({{},
                     fmt::format("{} above {}", low, high),
                     fmt::format("the values' {} of {} is above their {} of {}", low, *number(low),
                                 high, *number(high))});
  return bad;
}

std::optional<ValuesSpec> read_values(FileReport& report, const Yaml& node, Dtype dtype,
                                      std::span<const std::string> known,
                                      std::span<const ScalarSpec> scalars) {
  const Yaml* kind_node = node.find("kind");
  if (kind_node == nullptr) {
    report.add(node.place, About{"values: kind"},
               "values need a kind, for example { kind: normal, mean: 0, std: 1 }");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  const auto index = read_choice(report, *kind_node, "kind", names);
  if (!index) return std::nullopt;
  const Kind& kind = kinds()[*index];
  if (kind.name == kCodedKind && is_half(dtype)) {
    report.add(
        kind_node->place, About{fmt::format("kind: {} of {}", kind.name, kw::name_of(dtype))},
        fmt::format("init.cpp is compiled for the host, which has no {}", kw::name_of(dtype)));
    return std::nullopt;
  }
  if (kind.name == "counted" && is_half(dtype)) {
    report.add(
        kind_node->place, About{fmt::format("kind: {} of {}", kind.name, kw::name_of(dtype))},
        fmt::format("kind 'counted' needs f32 or f64, this is {}, in which sums are not exact",
                    kw::name_of(dtype)));
    return std::nullopt;
  }
  if (kind.tensors == (is_real(dtype) ? For::Integers : For::Reals)) {
    report.add(kind_node->place,
               About{fmt::format("kind: {} of {}", kind.name, kw::name_of(dtype))},
               fmt::format("kind '{}' needs {} tensor, this is {}", kind.name,
                           is_real(dtype) ? "an integer" : "a floating-point", kw::name_of(dtype)));
    return std::nullopt;
  }
  const bool is_points = kind.name == "points";
  const bool is_offsets = kind.name == "offsets";
  std::vector<std::string> keys = {"kind"};
  for (const Key& key : kind.keys) keys.emplace_back(key.name);
  if (is_points) keys.insert(keys.end(), {"origin", "step", "count"});
  if (is_offsets) keys.emplace_back("count");
  const Section section(report, node, fmt::format("values of kind '{}'", kind.name), keys);
  ValuesSpec spec;
  spec.kind = kind.name;
  spec.place = node.place;
  read_keys(report, section, kind, dtype, known, spec);
  if (is_points) read_points(report, section, known, scalars, spec);
  if (const Yaml* count = is_offsets ? section.require("count") : nullptr)
    if (auto formula = read_formula(report, *count, "count", known))
      spec.count.push_back(std::move(*formula));
  return spec;
}

ValuesSpec default_values(Dtype dtype) {
  ValuesSpec spec;
  if (is_real(dtype)) {
    spec.numbers = {{"mean", 0}, {"std", 1}};
  } else {
    spec.kind = "integers";
    const DtypeRow row = row_of(dtype);
    const bool is_signed = row.numbers == Numbers::Signed;
    constexpr double kUsual = 255;
    spec.numbers = {{"lo", is_signed ? -8 : 0},
                    {"hi", is_signed ? 8 : std::min(kUsual, static_cast<double>(row.highest))}};
  }
  return spec;
}

}  // namespace kw::task
