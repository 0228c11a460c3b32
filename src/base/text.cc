// Trims and splits texts, finds nearest names and places in texts, and formats figures for people.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/characters.h"
#include "base/foreign_text.h"

namespace kw {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

constexpr auto kKeywords = std::to_array<std::string_view>(
    {"alignas",      "alignof",      "and",           "and_eq",
     "asm",          "auto",         "bitand",        "bitor",
     "bool",         "break",        "case",          "catch",
     "char",         "char16_t",     "char32_t",      "char8_t",
     "class",        "co_await",     "co_return",     "co_yield",
     "compl",        "concept",      "const",         "const_cast",
     "consteval",    "constexpr",    "constinit",     "continue",
     "decltype",     "default",      "delete",        "do",
     "double",       "dynamic_cast", "else",          "enum",
     "explicit",     "export",       "extern",        "false",
     "float",        "for",          "friend",        "goto",
     "if",           "inline",       "int",           "long",
     "mutable",      "namespace",    "new",           "noexcept",
     "not",          "not_eq",       "nullptr",       "operator",
     "or",           "or_eq",        "private",       "protected",
     "public",       "register",     "requires",      "reinterpret_cast",
     "restrict",     "return",       "short",         "signed",
     "sizeof",       "static",       "static_assert", "static_cast",
     "struct",       "switch",       "template",      "this",
     "thread_local", "throw",        "true",          "try",
     "typedef",      "typeid",       "typename",      "typeof",
     "union",        "unsigned",     "using",         "virtual",
     "void",         "volatile",     "wchar_t",       "while",
     "xor",          "xor_eq"});

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.empty()) return {};
  if (text.back() == '\n') text.remove_suffix(1);
  auto lines = split(text, '\n');
  for (auto& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  return lines;
}

std::string csv_field(std::string_view foreign) {
  constexpr std::size_t kLongestEscape = 4;  // one byte becomes at most four, \x1b
  std::string text = sanitise(foreign, kLongestEscape * foreign.size() + 1);
  // A spreadsheet would compute a text that begins with '=', '+', '@' or '-' and is no number.
  const bool is_number = text.find_first_not_of("+-.0123456789e") == std::string::npos;
  if (!text.empty() && std::string_view("=+@-").contains(text[0]) && !is_number)
    text.insert(0, "'");
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

bool is_usable_identifier(std::string_view name) {
  if (name.empty() || !is_name_start(name[0])) return false;
  if (!std::ranges::all_of(name, is_name_char)) return false;
  // C++ reserves a leading underscore before a capital and any double underscore.
  if (name.find("__") != std::string_view::npos) return false;
  if (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z') return false;
  return std::ranges::find(kKeywords, name) == kKeywords.end();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

namespace {

std::optional<std::string> only_one_beginning_with(std::string_view name,
                                                   std::span<const std::string> candidates) {
  constexpr std::size_t kFewestLetters = 3;
  if (name.size() < kFewestLetters) return std::nullopt;
  const auto begins = [&](const std::string& c) { return c.starts_with(name); };
  if (std::ranges::count_if(candidates, begins) != 1) return std::nullopt;
  return *std::ranges::find_if(candidates, begins);
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestName = 64;  // keeps the quadratic distance cheap on foreign text
  if (name.size() > kLongestName) return std::nullopt;
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  const std::string* best = nullptr;
  std::size_t best_distance = allowed + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > name.size() + allowed || candidate.empty()) continue;
    const auto distance = edit_distance(name, candidate);
    // Of two equally near names, the one with the same letters was meant: two letters were swapped.
    const bool is_nearer =
        distance < best_distance ||
        (best != nullptr && distance == best_distance &&
         std::ranges::is_permutation(candidate, name) && !std::ranges::is_permutation(*best, name));
    // A one-letter name is never "near" another one-letter name.
    if (is_nearer && distance < std::max(name.size(), candidate.size())) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return only_one_beginning_with(name, candidates);
  return *best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const auto near = nearest(name, candidates);
  return near ? fmt::format(" (did you mean '{}'?)", *near) : std::string();
}

Position position_of(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  Position position;
  for (const char c : before) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++position.column;
    }
  }
  return position;
}

std::size_t offset_of(std::string_view text, Position position) {
  std::size_t at = 0;
  for (std::size_t line = 1; line < position.line; ++line) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  for (std::size_t column = 1; column < position.column; ++column) {
    if (at >= text.size() || text[at] == '\n') return at;
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

namespace {

/// A part of a line, without the characters that its ends would cut in two.
std::string_view whole_characters(std::string_view line, std::size_t from, std::size_t bytes) {
  const auto is_tail = [&](std::size_t i) {
    return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
  };
  std::size_t end = std::min(from + bytes, line.size());
  for (int moved = 0; moved < 3 && is_tail(from); ++moved) ++from;
  for (int moved = 0; moved < 3 && end > from && is_tail(end); ++moved) --end;
  return line.substr(from, end - from);
}

}  // namespace

std::string render_frame(std::string_view text, std::size_t offset, std::string_view message) {
  constexpr std::size_t kWidth = 100;  // shown bytes of a long line
  offset = std::min(offset, text.size());
  const auto newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  auto line = text.substr(start, text.find('\n', offset) - start);
  std::size_t caret = offset - start;
  if (line.size() > kWidth) {
    const std::size_t cut = caret > kWidth / 2 ? caret - kWidth / 2 : 0;
    line = whole_characters(line, cut, kWidth);
    caret -= std::min(caret, static_cast<std::size_t>(line.data() - text.data()) - start);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  // Tabs become blanks, so that the caret stands under its byte whatever the tab width.
  const std::string shown = sanitise_line(line);
  const std::string before = sanitise_line(line.substr(0, caret));
  const auto indent = position_of(before, before.size()).column - 1;
  const auto number = std::to_string(position_of(text, offset).line);
  return fmt::format("{} | {}\n{} | {}^ {}", number, shown, std::string(number.size(), ' '),
                     std::string(indent, ' '), message);
}

std::string render_line(std::string_view text, std::size_t line, std::string_view message,
                        std::size_t column) {
  std::size_t start = 0;
  for (std::size_t at = 1; at < line; ++at) {
    start = text.find('\n', start);
    if (start == std::string_view::npos) return {};
    ++start;
  }
  const std::size_t end = std::min(text.find('\n', start), text.size());
  return render_frame(text, std::min(start + (column > 0 ? column - 1 : 0), end), message);
}

std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = is_digit(text[i]) && (i == 0 || !is_name_char(text[i - 1]));
    std::size_t end = i;
    while (begins && end < text.size() && is_digit(text[end])) ++end;
    if (end > i && (end == text.size() || !is_name_char(text[end]))) {
      out += 'N';
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string format_si(double value, std::string_view unit) {
  if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
  constexpr std::array<std::string_view, 13> kPrefixes = {"a", "f", "p", "n", "u", "m", "",
                                                          "k", "M", "G", "T", "P", "E"};
  constexpr int kUnity = 6;
  int index = kUnity;
  double scaled = std::fabs(value);
  // The bound is 999.5, since that rounds to "1000" at three digits.
  while (scaled >= 999.5 && index + 1 < static_cast<int>(kPrefixes.size())) scaled /= 1000, ++index;
  while (scaled != 0 && scaled < 0.9995 && index > 0) scaled *= 1000, --index;
  const int digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return fmt::format("{}{:.{}f} {}{}", std::signbit(value) ? "-" : "", scaled, digits,
                     kPrefixes[static_cast<std::size_t>(index)], unit);
}

std::string format_ns(double nanoseconds) { return format_si(nanoseconds * 1e-9, "s"); }

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t index = 0;
  while (scaled >= 1023.5 && index + 1 < kUnits.size()) scaled /= 1024, ++index;
  return fmt::format("{:.3g} {}", scaled, kUnits[index]);
}

}  // namespace kw
