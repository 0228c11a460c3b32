// Computes widths of text from a table of Unicode's wide blocks, and ASCII forms from a table of
// the signs in our messages.
// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include <langinfo.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/foreign_text.h"

namespace kw {
namespace {

/// East_Asian_Width W and F of Unicode 15 in whole blocks, and the blocks of pictures.
constexpr auto kWide = std::to_array<std::pair<std::uint32_t, std::uint32_t>>(
    {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},  {0x23E9, 0x23F3},
     {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},  {0x267F, 0x267F},
     {0x2693, 0x26FD},   {0x2705, 0x27BF},   {0x2B1B, 0x2B55},  {0x2E80, 0x303E},
     {0x3041, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
     {0xFE10, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x16FE0, 0x18CFF},
     {0x1AFF0, 0x1B2FF}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFD}});

constexpr auto kSigns = std::to_array<std::pair<std::uint32_t, std::string_view>>({
    {0xA0, " "},       // no-break space
    {0xB0, "deg"},     // °
    {0xB1, "+-"},      // ±
    {0xB2, "^2"},      // ²
    {0xB5, "u"},       // µ
    {0xB7, "|"},       // ·
    {0xD7, "x"},       // ×
    {0xF7, "/"},       // ÷
    {0x3BC, "u"},      // μ
    {0x3C3, "sigma"},  // σ
    {0x2013, "-"},     // –
    {0x2014, "-"},     // —
    {0x2018, "'"},     // ‘
    {0x2019, "'"},     // ’
    {0x201C, "\""},    // “
    {0x201D, "\""},    // ”
    {0x2026, "..."},   // …
    {0x202F, " "},     // narrow no-break space
    {0x2192, "->"},    // →
    {0x2212, "-"},     // −
    {0x221A, "sqrt"},  // √
    {0x2248, "~"},     // ≈
    {0x2264, "<="},    // ≤
    {0x2265, ">="},    // ≥
});

std::size_t columns_of(std::uint32_t code_point) {
  const auto at = std::ranges::upper_bound(kWide, code_point, {},
                                           [](const auto& range) { return range.first; });
  return at != kWide.begin() && code_point <= std::prev(at)->second ? 2 : 1;
}

}  // namespace

std::string_view first_columns(std::string_view line, std::size_t limit) {
  std::size_t columns = 0;
  std::size_t at = 0;
  while (at < line.size()) {
    const Character character = character_at(line, at);
    columns += character.bytes == 0 ? 1 : columns_of(character.code_point);
    if (columns > limit) break;
    at += std::max<std::size_t>(character.bytes, 1);
  }
  return line.substr(0, at);
}

std::size_t columns_of(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Character character = character_at(line, at);
    columns += character.bytes == 0 ? 1 : columns_of(character.code_point);
    at += std::max<std::size_t>(character.bytes, 1);
  }
  return columns;
}

std::string in_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.bytes <= 1) {
      out += text[at++];
      continue;
    }
    const auto sign = std::ranges::lower_bound(kSigns, character.code_point, {},
                                               [](const auto& entry) { return entry.first; });
    if (sign != kSigns.end() && sign->first == character.code_point)
      out += sign->second;
    else
      out += escape(character.code_point);
    at += character.bytes;
  }
  return out;
}

bool is_utf8_locale() {
  if (const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr); locale != nullptr) {
    const std::string_view codeset = ::nl_langinfo_l(CODESET, locale);
    const bool is_utf8 = codeset == "UTF-8";
    ::freelocale(locale);
    return is_utf8;
  }
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string name(value);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace kw
