// Marks of loops: lines of comment in the source of a unit.
// SPDX-License-Identifier: Apache-2.0
#include "record/reference_loops.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace kw {
namespace {

constexpr std::string_view kMark = "// kw-loop ";

}  // namespace

std::string mark_of(const ReferenceLoop& loop) {
  return fmt::format("{}{} {}\n", kMark, loop.line, loop.variable);
}

std::vector<ReferenceLoop> loops_of(const BuildUnit& unit) {
  std::vector<ReferenceLoop> loops;
  if (unit.files.empty()) return loops;
  for (std::string_view line : split_lines(unit.files.front().text)) {
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    ReferenceLoop loop;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), loop.line);
    loop.variable = trim(std::string_view(read.ptr, line.data() + line.size()));
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace kw
