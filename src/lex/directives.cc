// Cuts the preprocessor's lines out of a list of tokens.
// SPDX-License-Identifier: Apache-2.0
#include "lex/directives.h"

#include <utility>

namespace kw::lex {

std::string_view Directive::name() const {
  return !tokens.empty() && tokens[0].kind == Token::Kind::Word ? tokens[0].text
                                                                : std::string_view();
}

std::string_view Directive::word() const {
  return tokens.size() > 1 && tokens[1].kind == Token::Kind::Word ? tokens[1].text
                                                                  : std::string_view();
}

std::string Directive::text(std::size_t from) const {
  return source_text(tokens, from, tokens.size());
}

bool begins_directive(const std::vector<Token>& all, std::size_t i) {
  if (!all[i].in_directive || !all[i].is("#")) return false;
  for (; i > 0 && all[i - 1].in_directive; --i) {
    if (all[i - 1].kind == Token::Kind::LineEnd) return true;
    if (!all[i - 1].is_space()) return false;
  }
  return true;
}

Directive read_directive(const std::vector<Token>& all, std::size_t hash) {
  Directive directive;
  directive.first = hash;
  std::size_t i = hash + 1;
  for (; i < all.size() && all[i].kind != Token::Kind::LineEnd; ++i)
    if (!all[i].is_space()) directive.tokens.push_back(all[i]);
  directive.last = i;
  return directive;
}

std::vector<Directive> directives_of(const std::vector<Token>& all) {
  std::vector<Directive> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!begins_directive(all, i)) continue;
    found.push_back(read_directive(all, i));
    i = found.back().last;
  }
  return found;
}

}  // namespace kw::lex
