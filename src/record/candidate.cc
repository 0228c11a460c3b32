// Puts knobs into words.
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

}  // namespace kw
