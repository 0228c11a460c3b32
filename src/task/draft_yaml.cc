// Quotes what YAML would not read as it stands.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_yaml.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kw::task {

std::string yaml_text(const std::string& expression) {
  const bool is_plain =
      expression.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  return is_plain ? expression : fmt::format("\"{}\"", expression);
}

std::string yaml_list(const std::vector<std::string>& expressions) {
  std::vector<std::string> parts;
  for (const auto& expression : expressions) parts.push_back(yaml_text(expression));
  return fmt::format("[{}]", join(parts, ", "));
}

std::string yaml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace kw::task
