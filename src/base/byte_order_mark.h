// The byte-order mark that some editors begin a text in UTF-8 with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// `text` without the mark at its beginning, which says nothing and which compilers and parsers
/// take for a character of the text.
inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace kw
