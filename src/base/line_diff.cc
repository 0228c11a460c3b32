// Compares two texts by the longest common subsequence of their lines.
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

using TextLines = std::vector<std::string_view>;

/// The differing middle of two texts, given without their common ends; `from` is the index of its
/// first line in both.
std::vector<DiffLine> compare_lines(const TextLines& a, const TextLines& b, std::size_t from) {
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
    DiffLine line{DiffLine::Kind::Same, from + i, from + j};
    if (i < n && j < m && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == m || (i < n && at(i + 1, j) >= at(i, j + 1))) {
      line.kind = DiffLine::Kind::Removed;
      ++i;
    } else {
      line.kind = DiffLine::Kind::Added;
      ++j;
    }
    lines.push_back(line);
  }
  return lines;
}

/// The changed lines with kAround common lines around each; one line of kind Gap stands for every
/// omitted stretch.
std::vector<DiffLine> without_unchanged(const std::vector<DiffLine>& lines) {
  std::vector<bool> is_shown(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].kind != DiffLine::Kind::Same)
      for (std::size_t k = i - std::min(i, kAround); k < std::min(i + kAround + 1, lines.size());
           ++k)
        is_shown[k] = true;
  std::vector<DiffLine> shown;
  bool was_shown = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_shown[i]) shown.push_back(lines[i]);
    if (!is_shown[i] && was_shown) shown.push_back({DiffLine::Kind::Gap, 0, 0});
    was_shown = is_shown[i];
  }
  return shown;
}

}  // namespace

TextDiff compare_texts(std::string_view before, std::string_view after) {
  const TextLines a = split_lines(before), b = split_lines(after);
  TextDiff diff;
  if (a == b) return diff;
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
  diff.is_rewritten = std::max(old_lines.size(), new_lines.size()) > kMostCompared;
  if (!diff.is_rewritten) diff.lines = without_unchanged(compare_lines(old_lines, new_lines, from));
  return diff;
}

std::string line_diff(std::string_view before, std::string_view after, std::size_t most) {
  const TextDiff diff = compare_texts(before, after);
  if (diff.is_rewritten) return "… (the whole file was rewritten)\n";
  const TextLines a = split_lines(before), b = split_lines(after);
  std::string text;
  std::size_t count = 0;
  for (const DiffLine& line : diff.lines) {
    if (line.kind != DiffLine::Kind::Gap && count++ == most)
      return text + fmt::format("… (more than {} lines differ)\n", most);
    switch (line.kind) {
      case DiffLine::Kind::Same:
        text += fmt::format("  {}\n", b[line.after]);
        break;
      case DiffLine::Kind::Removed:
        text += fmt::format("- {}\n", a[line.before]);
        break;
      case DiffLine::Kind::Added:
        text += fmt::format("+ {}\n", b[line.after]);
        break;
      case DiffLine::Kind::Gap:
        text += "…\n";
        break;
    }
  }
  return text;
}

}  // namespace kw
