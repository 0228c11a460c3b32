// Escapes characters that are hidden, mislead a reader or control a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "base/foreign_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kw {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Default_Ignorable_Code_Point and Bidi_Control of Unicode 15, line and paragraph separators, C1.
constexpr auto kHidden = std::to_array<Range>({{0x7F, 0x9F},
                                               {0xAD, 0xAD},
                                               {0x34F, 0x34F},
                                               {0x61C, 0x61C},
                                               {0x115F, 0x1160},
                                               {0x17B4, 0x17B5},
                                               {0x180B, 0x180F},
                                               {0x200B, 0x200F},
                                               {0x2028, 0x202E},
                                               {0x2060, 0x206F},
                                               {0x3164, 0x3164},
                                               {0xFDD0, 0xFDEF},
                                               {0xFE00, 0xFE0F},
                                               {0xFEFF, 0xFEFF},
                                               {0xFFA0, 0xFFA0},
                                               {0xFFF0, 0xFFFB},
                                               {0x1BCA0, 0x1BCA3},
                                               {0x1D173, 0x1D17A},
                                               {0xE0000, 0xE0FFF}});

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {};
  std::uint32_t code_point = lead & (0x7Fu >> length);
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kLeast[length] || is_surrogate || code_point > 0x10FFFF) return {};
  return {length, code_point};
}

std::string escape(std::uint32_t code_point) {
  if (code_point < 0x80) return fmt::format("\\x{:02x}", code_point);
  if (code_point < 0x10000) return fmt::format("\\u{:04X}", code_point);
  const std::uint32_t above = code_point - 0x10000;
  return fmt::format("\\u{:04X}\\u{:04X}", 0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
}

namespace {

enum class Newlines { Kept, Escaped };

/// How the character at `at` is shown, and how many bytes it takes in the text.
struct Piece {
  std::string_view plain;  ///< The character as it stands; empty: `escaped` is shown.
  std::string escaped;
  std::size_t bytes = 1;
};

Piece piece_at(std::string_view text, std::size_t at, Newlines newlines) {
  const char c = text[at];
  if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n')
    return {.plain = {}, .escaped = {}};
  if (newlines == Newlines::Escaped && c == '\n') return {.plain = "\\n", .escaped = {}};
  if (newlines == Newlines::Escaped && c == '\t') return {.plain = " ", .escaped = {}};
  const Character character = character_at(text, at);
  if (character.bytes == 0)
    return {.plain = {}, .escaped = fmt::format("\\x{:02x}", static_cast<unsigned char>(c))};
  if (is_hidden(character.code_point))
    return {.plain = {}, .escaped = escape(character.code_point), .bytes = character.bytes};
  return {.plain = text.substr(at, character.bytes), .escaped = {}, .bytes = character.bytes};
}

void drop_last_character(std::string& text) {
  const auto is_tail = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (!text.empty() && is_tail(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

std::string shown(std::string_view text, std::size_t limit, Newlines newlines) {
  constexpr std::string_view kCut = "...";
  std::string safe;
  safe.reserve(std::min(text.size(), limit));
  for (std::size_t i = 0; i < text.size();) {
    const Piece piece = piece_at(text, i, newlines);
    const std::string_view added = piece.plain.empty() ? piece.escaped : piece.plain;
    if (safe.size() + added.size() > limit) {
      while (safe.size() + kCut.size() > limit && !safe.empty()) drop_last_character(safe);
      return safe + std::string(kCut.substr(0, limit - safe.size()));
    }
    safe += added;
    i += piece.bytes;
  }
  return safe;
}

}  // namespace

bool is_hidden(std::uint32_t code_point) {
  if (code_point < 0x20) return code_point != '\n' && code_point != '\t';
  if (code_point < 0x7F) return false;
  const auto at = std::ranges::upper_bound(kHidden, code_point, {}, &Range::first);
  const bool is_listed = at != kHidden.begin() && code_point <= std::prev(at)->last;
  return is_listed || (code_point & 0xFFFE) == 0xFFFE;
}

std::string sanitise(std::string_view text, std::size_t limit) {
  return shown(text, limit, Newlines::Kept);
}

std::string sanitise_line(std::string_view text, std::size_t limit) {
  return shown(text, limit, Newlines::Escaped);
}

std::string with_escapes(std::string json) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < json.size();) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const bool is_space = byte == '\n' || byte == '\t' || byte == '\r';
    if ((byte >= 0x20 && byte < 0x7F) || is_space) {
      ++i;
      continue;
    }
    const Character character = character_at(json, i);
    const std::size_t next = i + std::max<std::size_t>(character.bytes, 1);
    if (character.bytes == 0 || is_hidden(character.code_point)) {
      out += std::string_view(json).substr(done, i - done);
      out += character.bytes == 0          ? fmt::format("\\\\x{:02x}", byte)
             : character.code_point < 0x80 ? fmt::format("\\u{:04X}", byte)
                                           : escape(character.code_point);
      done = next;
    }
    i = next;
  }
  if (done == 0) return json;  // no string held a hidden character: nearly always
  return out + json.substr(done);
}

std::string ShownStream::show(std::string_view piece) {
  waiting_ += piece;
  // The end of a piece waits for the next piece where it cannot be judged yet: up to three bytes of
  // an unfinished character, or a carriage return.
  std::size_t whole = waiting_.size();
  if (waiting_.ends_with('\r')) --whole;
  for (std::size_t back = 1; back <= 3 && back <= waiting_.size(); ++back) {
    const auto lead = static_cast<unsigned char>(waiting_[waiting_.size() - back]);
    if ((lead & 0xC0) == 0x80) continue;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    if (length > back) whole = waiting_.size() - back;
    break;
  }
  std::string text =
      shown(std::string_view(waiting_).substr(0, whole), std::string::npos / 2, Newlines::Kept);
  waiting_.erase(0, whole);
  return text;
}

std::string ShownStream::rest() {
  std::string text = sanitise(waiting_);
  waiting_.clear();
  return text;
}

}  // namespace kw
