// Splits the directives of a launch plan into pieces that remember their places in the source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

inline constexpr std::size_t kNone = std::string_view::npos;

/// Part of a directive without leading and trailing blanks, and its byte offset in the source.
struct PlanPiece {
  std::string_view text;
  std::size_t at = 0;

  bool empty() const { return text.empty(); }
  /// The `count` bytes of this piece from `begin`, trimmed.
  PlanPiece part(std::size_t begin, std::size_t count = std::string_view::npos) const;
};

/// The text of a directive after "// kw:", without a further comment at its end; nothing if
/// the line is no directive. The result is a view into the line. `comment` begins comments in the
/// language of the source (TargetRow::comment).
std::optional<std::string_view> directive_of(std::string_view line,
                                             std::string_view comment = "//");

/// One directive: a line, or several lines if a bracket stays open at the line's end. In `text`,
/// blanks replace line ends and the "// kw:" of further lines, so that all other bytes keep their
/// offsets.
struct DirectiveText {
  std::string text;
  std::size_t at = 0;     ///< Byte of the source where the directive begins.
  std::size_t lines = 1;  ///< How many lines the directive takes.
};

/// The directive that begins in `lines[first]`, where `start` is the text after "// kw:". The views
/// point into `source`.
DirectiveText join_directive(std::string_view source, const std::vector<std::string_view>& lines,
                             std::size_t first, std::string_view start,
                             std::string_view comment = "//");

/// The parts of a piece between separators outside brackets and double quotes; an empty piece gives
/// one empty part.
std::vector<PlanPiece> split_piece(PlanPiece piece, char separator);

/// Offset of `needle` outside brackets and quotes, or npos. `needle` must not begin with a bracket.
std::size_t find_outside(std::string_view text, std::string_view needle);
/// Offset of a whole word outside brackets and quotes, or npos.
std::size_t find_word(std::string_view text, std::string_view word);

/// Offset of the bracket that closes the bracket at `open`, or npos. With `angles`, < and > count
/// as brackets, too, unless they are inside other brackets.
std::size_t find_closing_bracket(std::string_view text, std::size_t open, bool angles = false);

/// The letters, digits and underscores at the beginning of the text.
std::string_view leading_word(std::string_view text);

}  // namespace kw::task
