// The lines of a difference, by their longest common subsequence.
// SPDX-License-Identifier: Apache-2.0
#include "base/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace kw {
namespace {

constexpr std::size_t kMostCompared = 1500;
constexpr std::size_t kAround = 2;

struct DiffLine {
  char mark = ' ';
  std::string_view text;
};

using TextLines = std::vector<std::string_view>;

/// Compares the middle of two texts, whose common ends were cut off.
std::vector<DiffLine> compare_lines(const TextLines& a, const TextLines& b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::uint16_t> common((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
    return common[i * (m + 1) + j];
  };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      at(i, j) = a[i] == b[j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                              : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<DiffLine> lines;
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[i] == b[j])
      lines.push_back({' ', a[i]}), ++i, ++j;
    else if (j == m || (i < n && at(i + 1, j) >= at(i, j + 1)))
      lines.push_back({'-', a[i++]});
    else
      lines.push_back({'+', b[j++]});
  }
  return lines;
}

std::string shown(const std::vector<DiffLine>& lines, std::size_t most) {
  std::vector<bool> is_shown(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].mark != ' ')
      for (std::size_t k = i - std::min(i, kAround); k < std::min(i + kAround + 1, lines.size());
           ++k)
        is_shown[k] = true;
  std::string text;
  std::size_t count = 0;
  bool was_shown = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_shown[i] && count++ == most)
      return text + fmt::format("… (more than {} lines differ)\n", most);
    if (is_shown[i]) text += fmt::format("{} {}\n", lines[i].mark, lines[i].text);
    if (!is_shown[i] && was_shown) text += "…\n";
    was_shown = is_shown[i];
  }
  return text;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after, std::size_t most) {
  const TextLines a = split_lines(before), b = split_lines(after);
  if (a == b) return {};
  const auto differing = std::ranges::mismatch(a, b);
  const auto first = static_cast<std::size_t>(differing.in1 - a.begin());
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - first &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  // A few common lines on either side show where the change stands.
  const std::size_t from = first - std::min(first, kAround);
  const std::size_t keep = tail - std::min(tail, kAround);
  const TextLines old_lines(a.begin() + static_cast<std::ptrdiff_t>(from),
                            a.end() - static_cast<std::ptrdiff_t>(keep));
  const TextLines new_lines(b.begin() + static_cast<std::ptrdiff_t>(from),
                            b.end() - static_cast<std::ptrdiff_t>(keep));
  if (std::max(old_lines.size(), new_lines.size()) > kMostCompared)
    return "… (the whole file was rewritten)\n";
  return shown(compare_lines(old_lines, new_lines), most);
}

}  // namespace kw
