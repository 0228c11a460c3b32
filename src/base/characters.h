/// \file
/// Classes of ASCII characters in C-like languages, the same in every locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace kw {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a name in C can begin with this character.
constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether a name in C can go on with this character.
constexpr bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

/// Offset of the first control character that is not among `allowed`; npos: there is none.
constexpr std::size_t find_control(std::string_view text, std::string_view allowed) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20 && !allowed.contains(text[i])) return i;
  return std::string_view::npos;
}

}  // namespace kw
