// Columns of a terminal: how wide a text is shown, and how it is cut and filled to a width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kw {

/// Columns that a terminal needs for one line of sanitised text: two for characters of East Asia
/// and pictures, none for accents that stand on the character before. The table is of blocks of
/// Unicode, not of single characters, so a rare character may be a column off.
std::size_t display_width(std::string_view line);

/// The line, or as much of its beginning as leaves room for an ellipsis in so many columns.
std::string cut_to_width(std::string_view line, std::size_t columns);

/// cut_to_width(), filled with blanks on the right, or on the left where `is_right` aligned.
std::string fill_to_width(std::string_view line, std::size_t columns, bool is_right = false);

/// The line broken at blanks into lines of at most so many columns, those behind the first
/// indented; a word that is wider is broken wherever it must be. No newline at the end.
std::string wrap_to_width(std::string_view line, std::size_t columns, std::size_t indent = 0);

}  // namespace kw
