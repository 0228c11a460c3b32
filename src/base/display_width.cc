// Computes the widths of text on a terminal from blocks of Unicode.
// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kw {
namespace {

struct WidthBlock {
  std::uint32_t first;
  std::uint32_t last;
};

/// Combining marks, which take no column. Hidden characters need no row: sanitise() has escaped
/// them.
constexpr auto kNoWidth = std::to_array<WidthBlock>({{0x300, 0x36F},
                                                     {0x483, 0x489},
                                                     {0x591, 0x5BD},
                                                     {0x610, 0x61A},
                                                     {0x64B, 0x65F},
                                                     {0x1AB0, 0x1AFF},
                                                     {0x1DC0, 0x1DFF},
                                                     {0x20D0, 0x20FF},
                                                     {0x302A, 0x302D},
                                                     {0x3099, 0x309A},
                                                     {0xFE20, 0xFE2F}});

/// East Asian Width W and F of Unicode 15, and pictures that terminals show as wide.
constexpr auto kTwoColumns = std::to_array<WidthBlock>({{0x1100, 0x115F},
                                                        {0x2E80, 0x303E},
                                                        {0x3041, 0x33FF},
                                                        {0x3400, 0x4DBF},
                                                        {0x4E00, 0x9FFF},
                                                        {0xA000, 0xA4CF},
                                                        {0xA960, 0xA97F},
                                                        {0xAC00, 0xD7A3},
                                                        {0xF900, 0xFAFF},
                                                        {0xFE30, 0xFE6F},
                                                        {0xFF00, 0xFF60},
                                                        {0xFFE0, 0xFFE6},
                                                        {0x1F300, 0x1F64F},
                                                        {0x1F680, 0x1F6FF},
                                                        {0x1F900, 0x1F9FF},
                                                        {0x20000, 0x3FFFD}});

template <std::size_t N>
bool is_among(const std::array<WidthBlock, N>& blocks, std::uint32_t code_point) {
  return std::ranges::any_of(
      blocks, [=](WidthBlock b) { return code_point >= b.first && code_point <= b.last; });
}

struct ShownAs {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// How the character at `at` is shown; a byte that begins no character takes one column.
ShownAs shown_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0xC0) return {};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (at + bytes > text.size()) return {};
  std::uint32_t code_point = lead & (0x7Fu >> bytes);
  for (std::size_t i = at + 1; i < at + bytes; ++i)
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  if (is_among(kNoWidth, code_point)) return {bytes, 0};
  return {bytes, is_among(kTwoColumns, code_point) ? std::size_t{2} : 1};
}

/// Bytes of the longest beginning of the line that takes at most `columns`.
std::size_t bytes_within(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  std::size_t used = 0;
  while (at < line.size()) {
    const ShownAs next = shown_at(line, at);
    if (used + next.columns > columns) break;
    used += next.columns;
    at += next.bytes;
  }
  return at;
}

}  // namespace

std::size_t display_width(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size();) {
    const ShownAs next = shown_at(line, at);
    columns += next.columns;
    at += next.bytes;
  }
  return columns;
}

std::string cut_to_width(std::string_view line, std::size_t columns) {
  if (display_width(line) <= columns) return std::string(line);
  if (columns == 0) return {};
  return std::string(line.substr(0, bytes_within(line, columns - 1))) + "…";
}

std::string wrap_to_width(std::string_view line, std::size_t columns, std::size_t indent) {
  std::string text;
  std::size_t room = columns;
  while (display_width(line) > room) {
    // Every line takes at least one character, or the loop would never end.
    const std::size_t fits = std::max(bytes_within(line, room), shown_at(line, 0).bytes);
    if (fits >= line.size()) break;
    const std::size_t blank = line.substr(0, std::min(line.size(), fits + 1)).rfind(' ');
    const bool is_between_words = blank != std::string_view::npos && blank > 0;
    text += std::string(line.substr(0, is_between_words ? blank : fits)) + "\n" +
            std::string(indent, ' ');
    line.remove_prefix(is_between_words ? blank + 1 : fits);
    room = columns > indent ? columns - indent : 1;
  }
  return text + std::string(line);
}

std::string fill_to_width(std::string_view line, std::size_t columns, bool is_right) {
  std::string text = cut_to_width(line, columns);
  const std::string blanks(columns - std::min(columns, display_width(text)), ' ');
  return is_right ? blanks + text : text + blanks;
}

}  // namespace kw
