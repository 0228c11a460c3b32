// Small helpers for the words of a source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lex/lexer.h"

namespace kw::import {

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether a token is one of the words; a string literal never is.
inline bool is_one_of(const lex::Token& token, std::initializer_list<std::string_view> words) {
  return token.kind != lex::Token::Kind::Text && is_one_of(token.text, words);
}

/// The part of a name behind the last `::`, so that `at::cuda::f` gives `f`.
inline std::string last_part(const std::string& name) {
  const auto colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace kw::import
