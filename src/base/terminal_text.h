// Text on a terminal: how many columns it takes, and how it reads where only ASCII can be shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kw {

/// Columns of a sanitised line of UTF-8. Wide characters take two; combining marks count as one
/// although they take none, so that the figure is never too small.
std::size_t columns_of(std::string_view line);

/// The longest beginning of a sanitised line that takes at most `limit` columns.
std::string_view first_columns(std::string_view line, std::size_t limit);

/// Characters that our own messages use become ASCII: "–" is "-", "…" is "...", "×" is "x"; every
/// other character beyond ASCII is escaped like \u4E2D. ASCII stays.
std::string in_ascii(std::string_view text);

/// Whether this process's locale uses UTF-8: by what the system says about LC_ALL, LC_CTYPE or
/// LANG, or by the name where the system lacks that locale.
bool is_utf8_locale();

}  // namespace kw
