// Fuzzes the lexer: tokens cover the text in order, and a text without its line splices has the
// same tokens.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lex/lexer.h"

namespace {

using kw::lex::Rules;
using kw::lex::Token;
using kw::lex::Tokens;

void check_cover(std::string_view source, const Tokens& tokens) {
  std::size_t at = 0;
  for (const Token& token : tokens) {
    KW_ASSERT(token.offset == at && token.end > at && token.end <= source.size());
    const bool is_digraph = token.kind == Token::Kind::Symbol;
    if (!is_digraph && token.text.size() == token.end - token.offset)
      KW_ASSERT(token.text == source.substr(token.offset, token.text.size()));
    KW_ASSERT(!token.text.empty() || token.is_space());
    at = token.end;
  }
  KW_ASSERT(at == source.size());
}

/// The blanks of a token without its line splices.
std::string without_splices(std::string_view blanks) {
  std::string text;
  for (std::size_t i = 0; i < blanks.size(); ++i) {
    if (blanks[i] != '\\') {
      text += ' ';
      continue;
    }
    i = blanks.find_first_of("\r\n", i);
    if (blanks.substr(i).starts_with("\r\n")) ++i;
  }
  return text;
}

/// The source without line splices and with comments emptied.
std::string joined(const Tokens& tokens) {
  std::string text = " ";  // or what follows could begin with a byte-order mark
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::LineEnd)
      text += "\r\n";  // or a "\r" that ends a literal would become a part of the line end
    else if (token.kind == Token::Kind::Comment)
      text += token.is_whole ? "/**/" : "/*";
    else if (token.kind == Token::Kind::Blank)
      text += without_splices(token.text);
    else
      text += token.text;
  }
  return text;
}

/// Whether a token of broken text reads otherwise where splices behind it are gone: a backslash
/// becomes one of a splice, and a raw literal's wrong delimiter a right one.
bool changes_when_joined(const Token& token) {
  const bool is_broken_raw = !token.is_whole && token.text.contains("R\"");
  constexpr std::string_view kBlanks(" \t\v\f\r\0", 6);
  const std::size_t last = token.text.find_last_not_of(kBlanks);
  const bool ends_in_backslash = last != std::string_view::npos && token.text[last] == '\\';
  return !token.is_space() && (ends_in_backslash || is_broken_raw);
}

bool is_same(const Token& a, const Token& b) {
  return a.kind == b.kind && a.text == b.text && a.in_directive == b.in_directive &&
         a.is_whole == b.is_whole;
}

/// Whether two texts have the same tokens, comments and blanks aside.
void check_same(const Tokens& a, const Tokens& b) {
  std::size_t i = 0, k = 0;
  for (;; ++i, ++k) {
    while (i < a.size() && a[i].is_space() && a[i].kind != Token::Kind::LineEnd) ++i;
    while (k < b.size() && b[k].is_space() && b[k].kind != Token::Kind::LineEnd) ++k;
    if (i >= a.size() || k >= b.size()) break;
    if (a[i].kind == Token::Kind::LineEnd)
      KW_ASSERT(b[k].kind == Token::Kind::LineEnd);
    else
      KW_ASSERT(is_same(a[i], b[k]));
  }
  KW_ASSERT(i >= a.size() && k >= b.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  for (const Rules rules : {Rules::Gnu, Rules::Edg}) {
    const Tokens tokens = kw::lex::lex(source, rules);
    check_cover(source, tokens);
    for (const Token& token : tokens)
      if (token.kind == Token::Kind::Text) kw::lex::value_of_literal(token);
    if (std::ranges::any_of(tokens, changes_when_joined)) continue;
    const std::string plain = joined(tokens);
    check_same(tokens, kw::lex::lex(plain, rules));
  }
  return 0;
}
