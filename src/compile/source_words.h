// SourceWords: the tokens of a C or C++ source, one after the other, without comments and literals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/characters.h"

namespace kw::compile {

/// Reads words, numbers and single characters of punctuation in order; each is a view into the
/// text. Comments and literals are skipped, preprocessor lines are not. Accepts any text: a literal
/// without an end stops at the end of its line.
class SourceWords {
 public:
  explicit SourceWords(std::string_view text) : text_(text) {}

  /// The next token; empty at the end of the text.
  std::string_view next() {
    while (skip_one()) {
    }
    if (at_ >= text_.size()) return {};
    std::size_t end = at_;
    while (end < text_.size() && (is_name_char(text_[end]) || is_separator(end))) ++end;
    const std::string_view word = text_.substr(at_, std::max<std::size_t>(end - at_, 1));
    at_ += word.size();
    return word;
  }

 private:
  /// Whether the ' at this offset separates digits of the number being read, as in 1'024, instead
  /// of opening a literal.
  bool is_separator(std::size_t at) const {
    return text_[at] == '\'' && is_digit(text_[at_]) && at + 1 < text_.size() &&
           is_name_char(text_[at + 1]);
  }

  /// Skips one blank, comment or literal at the current position; false if there is none.
  bool skip_one() {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    if (rest.empty()) return false;
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) return ++at_, true;
    if (rest.starts_with("//")) return pass(rest.find('\n'));
    if (rest.starts_with("/*")) return pass(rest.find("*/", 2), 2);
    if (rest[0] != '"' && rest[0] != '\'') return false;
    std::size_t end = 1;
    while (end < rest.size() && rest[end] != rest[0] && rest[end] != '\n')
      end += rest[end] == '\\' ? 2 : 1;
    return pass(end, 1);
  }

  bool pass(std::size_t end, std::size_t more = 0) {
    at_ = end == std::string_view::npos ? text_.size() : at_ + end + more;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kw::compile
