// Decodes string and character literals.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/characters.h"
#include "lex/lexer.h"

namespace kw::lex {
namespace {

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/// Appends a code point as UTF-8; nothing for one that Unicode does not have.
void append_code_point(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) return byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f));
  if (c < 0x10000)
    return byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f));
  if (c >= 0x110000) return;
  byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f));
  byte(0x80 | (c & 0x3f));
}

class Escapes {
 public:
  explicit Escapes(std::string_view text) : text_(text) {}

  std::string decode() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '\\' || at_ >= text_.size())
        out_ += c;
      else
        read_escape(text_[at_++]);
    }
    return std::move(out_);
  }

 private:
  /// Reads at most `most` digits; with a {, all digits up to its }.
  std::uint32_t read_digits(int base, std::size_t most) {
    const bool is_delimited = at_ < text_.size() && text_[at_] == '{';
    if (is_delimited) ++at_, most = text_.size();
    std::uint32_t value = 0;
    for (; most > 0 && at_ < text_.size() && digit_value(text_[at_]) < base; --most)
      value = value * static_cast<std::uint32_t>(base) +
              static_cast<std::uint32_t>(digit_value(text_[at_++]));
    if (is_delimited && at_ < text_.size() && text_[at_] == '}') ++at_;
    return value;
  }

  void read_escape(char c) {
    constexpr std::string_view kNames = "abfnrtv", kValues = "\a\b\f\n\r\t\v";
    if (c == 'x') {
      out_ += static_cast<char>(read_digits(16, text_.size()));
    } else if (c == 'o') {
      out_ += static_cast<char>(read_digits(8, 0));
    } else if (c >= '0' && c <= '7') {
      --at_;
      out_ += static_cast<char>(read_digits(8, 3));
    } else if (c == 'u' || c == 'U') {
      append_code_point(out_, read_digits(16, c == 'u' ? 4 : 8));
    } else if (const auto name = kNames.find(c); name != std::string_view::npos) {
      out_ += kValues[name];
    } else {
      out_ += c;
    }
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string value_of_literal(const Token& literal) {
  std::string_view text = literal.text;
  const std::size_t quote = text.find_first_of("\"'");
  if (quote == std::string_view::npos) return {};
  const bool is_raw = is_raw_prefix(text.substr(0, quote));
  text = text.substr(quote);
  if (is_raw) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos) return {};
    // `)delimiter"` is as long as `"delimiter(`.
    const std::size_t tail = literal.is_whole ? open + 1 : 0;
    return std::string(text.substr(open + 1, text.size() - open - 1 - tail));
  }
  const std::size_t length = text.size() - (literal.is_whole ? 2 : 1);
  return Escapes(text.substr(1, length)).decode();
}

}  // namespace kw::lex
