// Puts knobs into words, and maps file suffixes to targets.
// SPDX-License-Identifier: Apache-2.0
#include "record/candidate.h"

#include <fmt/format.h>

namespace kw {

std::string knobs_text(const KnobPoint& knobs, std::string_view equals, std::string_view between) {
  std::string text;
  for (const auto& [name, value] : knobs)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : between, name, equals, value);
  return text;
}

std::string knobs_change(const KnobPoint& before, const KnobPoint& after) {
  std::string text;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == value) continue;
    if (!text.empty()) text += ", ";
    text += old == before.end() ? fmt::format("{} = {}", name, value)
                                : fmt::format("{} = {} → {}", name, old->second, value);
  }
  return text;
}

std::string_view source_suffix(Target target) { return target == Target::Cpu ? ".cpp" : ".cu"; }

std::optional<Target> target_of_file(std::string_view name) {
  for (const Target target : {Target::Cpu, Target::Cuda})
    if (name.ends_with(source_suffix(target))) return target;
  return std::nullopt;
}

}  // namespace kw
