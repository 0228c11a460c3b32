// Columns of a terminal: how wide a text is shown, and how a text is cut and filled to a width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kw {

/// Columns that a terminal needs for one line of sanitised text: two for East Asian characters and
/// pictures, none for accents that combine with the character before. The table holds blocks of
/// Unicode, not single characters, so a rare character may be a column off.
std::size_t display_width(std::string_view line);

/// The line, or as much of its beginning as fits into `columns` together with an ellipsis.
std::string cut_to_width(std::string_view line, std::size_t columns);

/// cut_to_width(), then filled with blanks on the right, or on the left where `is_right`.
std::string fill_to_width(std::string_view line, std::size_t columns, bool is_right = false);

/// The line broken at blanks into lines of at most `columns`, all but the first indented by
/// `indent`; a wider word is broken anywhere. No newline at the end.
std::string wrap_to_width(std::string_view line, std::size_t columns, std::size_t indent = 0);

}  // namespace kw
