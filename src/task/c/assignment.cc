// Finds the operator that assigns, and the name before it.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/assignment.h"

#include <algorithm>
#include <array>

#include "base/contains.h"

namespace kw::task {
namespace {

bool is_word(const lex::Token& token) { return token.kind == lex::Token::Kind::Word; }

std::size_t opening(const std::vector<lex::Token>& tokens, std::size_t close, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = close; i > begin; --i) {
    if (tokens[i].is("]") || tokens[i].is(")")) ++depth;
    if ((tokens[i].is("[") || tokens[i].is("(")) && --depth == 0) return i;
  }
  return close;
}

/// The token of the assignment operator outside brackets; `end` if the statement has none.
std::size_t operator_of(const std::vector<lex::Token>& tokens, std::size_t begin, std::size_t end) {
  static constexpr auto kOperators = std::to_array<std::string_view>(
      {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{"))
      i = lex::find_closing(tokens, i);
    if (i < end && contains(kOperators, tokens[i].text)) return i;
  }
  return end;
}

}  // namespace

std::optional<Assignment> read_assignment(const std::vector<lex::Token>& tokens, std::size_t begin,
                                          std::size_t end) {
  Assignment found;
  found.op = operator_of(tokens, begin, end);
  if (found.op == begin || begin >= end) return std::nullopt;
  found.name = found.op - 1;
  while (found.name > begin && tokens[found.name].is("]")) {
    const std::size_t open = opening(tokens, found.name, begin);
    if (open <= begin || open == found.name) return std::nullopt;
    found.name = open - 1;
  }
  if (!is_word(tokens[found.name])) return std::nullopt;
  found.target = tokens[found.name].text;
  // `float* row = x` begins with a type, `*out = s` with the star.
  const bool has_type = found.name > begin && is_word(tokens[begin]);
  found.is_pointer = has_type && tokens[found.name - 1].is("*");
  found.is_declared = has_type && (is_word(tokens[found.name - 1]) || found.is_pointer);
  if (found.op == end) return found.is_declared ? std::optional(found) : std::nullopt;
  for (std::size_t i = found.op + 1; i < end; ++i)
    found.reads_target = found.reads_target || tokens[i].is(found.target);
  found.reads_target = found.reads_target || !tokens[found.op].is("=");
  return found;
}

}  // namespace kw::task
