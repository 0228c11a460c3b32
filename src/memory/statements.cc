// Splits Markdown into statements, and ranks them by keywords.
// SPDX-License-Identifier: Apache-2.0
#include "memory/statements.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace kw::memory {
namespace {

constexpr std::size_t kMostStatements = 2;
constexpr std::size_t kStatementBytes = 400;
// bytes by which word forms of a technique are recognised, as "til" in tiling and tiles
constexpr std::size_t kStem = 3;

std::vector<std::string> statements_in(std::string_view spec) {
  std::vector<std::string> statements;
  bool is_open = false, is_code = false;
  for (const std::string_view line : split_lines(spec)) {
    const std::string_view text = trim(line);
    if (text.starts_with("```")) is_code = !is_code;
    const bool is_prose = !is_code && !text.empty() && !text.starts_with("#") &&
                          !text.starts_with("|") && !text.starts_with("```") &&
                          !line.starts_with("    ");
    if (!is_prose) {
      is_open = false;
      continue;
    }
    const bool is_bullet = text.starts_with("- ") || text.starts_with("* ");
    if (is_bullet || !is_open) statements.emplace_back();
    is_open = true;
    std::string& statement = statements.back();
    if (!statement.empty()) statement += ' ';
    statement += is_bullet ? trim(text.substr(2)) : text;
  }
  return statements;
}

}  // namespace

bool mentions(std::string_view text, std::string_view beginning) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), beginning.begin(), beginning.end(), is_same);
    if (at == text.end()) return false;
    if (at == text.begin() || !is_name_char(*(at - 1))) return true;
  }
}

std::string first_sentence(std::string_view text, std::size_t bytes) {
  text = trim(text);
  text = text.substr(0, text.find('\n'));
  if (const std::size_t stop = text.find(". "); stop != std::string_view::npos)
    text = text.substr(0, stop + 1);
  return sanitise(trim(text), bytes);
}

std::vector<std::string> statements_on(std::string_view spec,
                                       const std::vector<std::string_view>& keywords,
                                       const std::vector<std::string>& techniques) {
  struct Ranked {
    std::size_t hits = 0;
    std::size_t place = 0;
  };
  const std::vector<std::string> statements = statements_in(spec);
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::string_view text = statements[i];
    std::size_t hits = 0;
    for (const std::string_view keyword : keywords) hits += mentions(text, keyword);
    if (hits == 0) continue;
    for (const std::string& technique : techniques)
      hits +=
          technique.size() > kStem && mentions(text, std::string_view(technique).substr(0, kStem));
    ranked.push_back({hits, i});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::pair(b.hits, a.place) < std::pair(a.hits, b.place);
  });
  if (ranked.size() > kMostStatements) ranked.resize(kMostStatements);
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.place < b.place; });
  std::vector<std::string> chosen;
  for (const Ranked& r : ranked) chosen.push_back(sanitise(statements[r.place], kStatementBytes));
  return chosen;
}

}  // namespace kw::memory
