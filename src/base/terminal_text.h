// Text as a terminal shows it: how many columns it takes, and what it is where the terminal knows
// ASCII alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kw {

/// Columns of a sanitised line of UTF-8. Wide characters take two; marks that combine with the
/// character before them count as one, so that the figure is never too small.
std::size_t columns_of(std::string_view line);

/// The longest beginning of a sanitised line that takes at most `limit` columns.
std::string_view first_columns(std::string_view line, std::size_t limit);

/// Signs of our own words in ASCII: "–" is "-", "…" is "...", "×" is "x"; every other character
/// beyond ASCII is an escape such as \u4E2D. Bytes of ASCII stay.
std::string in_ascii(std::string_view text);

/// Whether the characters of this process's locale are UTF-8: by what the system says of LC_ALL,
/// LC_CTYPE or LANG, and where it does not have that locale, by the name.
bool is_utf8_locale();

}  // namespace kw
