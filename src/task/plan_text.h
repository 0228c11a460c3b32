// Cutting directives of a launch plan into pieces that know where in the source they stand.
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
  /// `count` bytes from `begin`, trimmed.
  PlanPiece part(std::size_t begin, std::size_t count = std::string_view::npos) const;
};

/// The text of a comment line after "// kw:" without a comment of its own, or nothing. A view into
/// the line.
std::optional<std::string_view> directive_of(std::string_view line);

/// One directive: a line, or several where a bracket stays open. `text` has blanks where the ends
/// and beginnings of lines were, so that its bytes keep their places in the source.
struct DirectiveText {
  std::string text;
  std::size_t at = 0;     ///< Byte of the source where it begins.
  std::size_t lines = 1;  ///< How many lines it takes.
};

/// The directive in `lines[first]`, whose text after "// kw:" is `start`; all are views into
/// `source`.
DirectiveText join_directive(std::string_view source, const std::vector<std::string_view>& lines,
                             std::size_t first, std::string_view start);

/// Parts at the separators that stand outside of brackets and double quotes; one empty part where
/// there is nothing.
std::vector<PlanPiece> split_piece(PlanPiece piece, char separator);

/// Byte of `needle` outside of brackets and quotes, or npos. It may not begin with a bracket.
std::size_t find_outside(std::string_view text, std::string_view needle);
/// The same for a word that stands by itself.
std::size_t find_word(std::string_view text, std::string_view word);

/// Byte of the bracket that closes the one at `open`, or npos. With `angles` < and > are brackets
/// where no other is open.
std::size_t find_closing_bracket(std::string_view text, std::size_t open, bool angles = false);

/// Letters, digits and _ at the front.
std::string_view leading_word(std::string_view text);

}  // namespace kw::task
