// Detects repairs that only remove the difficult part of a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "propose/weakened.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/text.h"

namespace kw::propose {
namespace {

// Share of the parent's code that a repair must keep. Our choice, since nothing is published: a
// real repair of a hundred lines changes some of them, while replacing a tiled kernel by a plain
// loop leaves a third.
constexpr double kLeast = 2.0 / 3;

std::size_t code_bytes(std::string_view source) {
  std::size_t bytes = 0;
  for (std::string_view line : split_lines(source)) {
    line = trim(line.substr(0, line.find("//")));
    bytes += line.size();
  }
  return bytes;
}

}  // namespace

std::string why_weakened(const Candidate& parent, const Candidate& child) {
  for (const std::string& technique : parent.techniques)
    if (!contains(child.techniques, technique))
      return fmt::format(
          "the repaired source drops the technique '{}' of the kernel that it was to mend",
          technique);
  const std::size_t before = code_bytes(parent.source), after = code_bytes(child.source);
  if (static_cast<double>(after) < kLeast * static_cast<double>(before))
    return fmt::format(
        "the repaired source keeps only {:.0f} % of the code of the kernel that it was to mend",
        100 * static_cast<double>(after) / static_cast<double>(before));
  return {};
}

}  // namespace kw::propose
