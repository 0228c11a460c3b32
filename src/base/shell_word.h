// Quotes words of a command line that a person may copy into a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/characters.h"

namespace kw {

/// The text as one word for a POSIX shell: unchanged where it consists of letters, digits and
/// `_./-=:+,@`, else in single quotes.
inline std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_name_char(c) || std::string_view("./-=:+,@").contains(c);
  });
  if (is_plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace kw
