// Reads text cases.
// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <stdexcept>

namespace kw::program {

std::vector<Statement> parse_case(std::string_view text) {
  std::vector<Statement> statements;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '|') {
      if (statements.empty()) throw std::runtime_error("a block without a statement");
      statements.back().block += (line.size() > 2 ? line.substr(2) : "") + "\n";
      continue;
    }
    const std::size_t blank = line.find(' ');
    statements.push_back({number, line.substr(0, blank),
                          blank == std::string::npos ? "" : line.substr(blank + 1), ""});
  }
  return statements;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_open = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      if (!is_open) words.emplace_back();
      is_open = true;
    } else if (c == ' ' && quote == 0) {
      is_open = false;
    } else {
      if (!is_open) words.emplace_back();
      is_open = true;
      words.back() += c;
    }
  }
  if (quote != 0) throw std::runtime_error("a quote without its end");
  return words;
}

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at)
    if (matches(pattern, text.substr(at))) return true;
  return false;
}

}  // namespace kw::program
