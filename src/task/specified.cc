// Searches spec.md for placeholder lines.
// SPDX-License-Identifier: Apache-2.0
#include "task/specified.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/text.h"

namespace kw::task {
namespace {

constexpr auto kPlaceholders =
    std::to_array<std::string_view>({"Say here in a few sentences what", "TODO"});

constexpr std::string_view kWhatToWrite =
    "write which tensors are read, what every element of the outputs is, and what is easily got "
    "wrong; kw task show prints the function";

}  // namespace

Result<> check_specified(const Definition& definition) {
  const std::string file = (std::filesystem::path(definition.folder) / "spec.md").string();
  int number = 0;
  for (const std::string_view raw : split_lines(definition.task.spec)) {
    ++number;
    const std::string_view line = trim(raw);
    for (const std::string_view placeholder : kPlaceholders)
      if (line.starts_with(placeholder))
        return fail_input(
            ErrorCode::Missing, About{"specification"},
            fmt::format("a placeholder stands here and would be sent to a model: {}", kWhatToWrite),
            fmt::format("{}:{}", file, number));
  }
  return {};
}

}  // namespace kw::task
