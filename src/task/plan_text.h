// Cuts directives of a launch plan into pieces that keep their places in the source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

inline constexpr std::size_t kNone = std::string_view::npos;

/// Part of a directive, without blanks at its ends, and the byte of the source where it begins.
struct PlanPiece {
  std::string_view text;
  std::size_t at = 0;

  bool empty() const { return text.empty(); }
  /// The `count` bytes from `begin`, trimmed.
  PlanPiece part(std::size_t begin, std::size_t count = std::string_view::npos) const;
};

/// The text of a comment line after "// kw:", without a further comment at its end; nothing where
/// the line is no directive. A view into the line.
std::optional<std::string_view> directive_of(std::string_view line);

/// One directive: a line, or several lines where a bracket stays open. In `text`, blanks replace
/// the ends and beginnings of lines, so that all other bytes keep their offsets.
struct DirectiveText {
  std::string text;
  std::size_t at = 0;     ///< Byte of the source where the directive begins.
  std::size_t lines = 1;  ///< How many lines the directive takes.
};

/// The directive that begins in `lines[first]`, where `start` is the text after "// kw:". The views
/// point into `source`.
DirectiveText join_directive(std::string_view source, const std::vector<std::string_view>& lines,
                             std::size_t first, std::string_view start);

/// The parts between separators that stand outside of brackets and double quotes; an empty piece
/// gives one empty part.
std::vector<PlanPiece> split_piece(PlanPiece piece, char separator);

/// Offset of `needle` outside of brackets and quotes, or npos. `needle` may not begin with a
/// bracket.
std::size_t find_outside(std::string_view text, std::string_view needle);
/// Offset of a whole word outside of brackets and quotes, or npos.
std::size_t find_word(std::string_view text, std::string_view word);

/// Offset of the bracket that closes the one at `open`, or npos. With `angles`, < and > count as
/// brackets where no other bracket is open.
std::size_t find_closing_bracket(std::string_view text, std::size_t open, bool angles = false);

/// The letters, digits and underscores at the front of the text.
std::string_view leading_word(std::string_view text);

}  // namespace kw::task
