// Reads loops and array indices from a kernel's tokens.
// SPDX-License-Identifier: Apache-2.0
#include "memory/walk.h"

#include <algorithm>
#include <vector>

#include "lex/lexer.h"

namespace kw::memory {
namespace {

using lex::Token;
using Tokens = std::vector<Token>;

struct ForLoop {
  std::string_view variable;
  std::size_t header = 0;  ///< Token of the loop's opening parenthesis.
  std::size_t body = 0;    ///< First token of the body.
  std::size_t end = 0;     ///< One past the last token of the loop.
  int depth = 1;
  bool is_innermost = true;
};

std::size_t past_statement(const Tokens& tokens, std::size_t at) {
  if (at >= tokens.size()) return tokens.size();
  if (tokens[at].is("{")) return std::min(lex::find_closing(tokens, at) + 1, tokens.size());
  const bool is_controlled = tokens[at].is("for") || tokens[at].is("while") || tokens[at].is("if");
  if (is_controlled && at + 1 < tokens.size() && tokens[at + 1].is("(")) {
    const std::size_t close = lex::find_closing(tokens, at + 1);
    return close < tokens.size() ? past_statement(tokens, close + 1) : tokens.size();
  }
  while (at < tokens.size() && !tokens[at].is(";")) ++at;
  return std::min(at + 1, tokens.size());
}

/// The word before the first '=' in a loop's head, which is the loop's variable.
std::string_view variable_of(const Tokens& tokens, std::size_t open, std::size_t close) {
  for (std::size_t i = open + 1; i + 1 < close && !tokens[i].is(";"); ++i)
    if (tokens[i].kind == Token::Kind::Word && tokens[i + 1].is("=")) return tokens[i].text;
  return {};
}

std::vector<ForLoop> loops_of(const Tokens& tokens) {
  std::vector<ForLoop> loops;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("for") || !tokens[i + 1].is("(")) continue;
    const std::size_t close = lex::find_closing(tokens, i + 1);
    if (close >= tokens.size()) break;
    ForLoop loop{variable_of(tokens, i + 1, close), i + 1, close + 1,
                 past_statement(tokens, close + 1)};
    for (ForLoop& outer : loops)
      if (outer.body <= i && i < outer.end) {
        loop.depth = outer.depth + 1;
        outer.is_innermost = false;
      }
    loops.push_back(loop);
  }
  return loops;
}

bool ends_operand(const Token& token) {
  return token.kind == Token::Kind::Word || token.kind == Token::Kind::Number || token.is(")") ||
         token.is("]");
}

/// Whether the tokens [from, to] are a factor of a product.
bool is_multiplied(const Tokens& tokens, std::size_t from, std::size_t to) {
  if (to + 1 < tokens.size() && tokens[to + 1].is("*")) return true;
  return from >= 2 && tokens[from - 1].is("*") && ends_operand(tokens[from - 2]);
}

/// The innermost bracket of the given kind around `at`, inside [from, at); tokens.size(): there is
/// none.
std::size_t opening_around(const Tokens& tokens, std::size_t from, std::size_t at,
                           std::string_view left, std::string_view right) {
  int depth = 0;
  for (std::size_t i = at; i-- > from;) {
    if (tokens[i].is(right)) ++depth;
    if (tokens[i].is(left) && depth-- == 0) return i;
  }
  return tokens.size();
}

enum class Use { Strided, Contiguous, Neither };

Use use_of(const Tokens& tokens, const ForLoop& loop, std::size_t at) {
  if (is_multiplied(tokens, at, at)) return Use::Strided;
  // In (x + 4) * sx the sum is multiplied, and thus x is.
  const std::size_t open = opening_around(tokens, loop.body, at, "(", ")");
  if (open < tokens.size()) {
    const bool is_call = open > 0 && tokens[open - 1].kind == Token::Kind::Word;
    if (is_call && (tokens[open - 1].is("if") || tokens[open - 1].is("while"))) return Use::Neither;
    const std::size_t close = lex::find_closing(tokens, open);
    if (!is_call && close < tokens.size() && is_multiplied(tokens, open, close))
      return Use::Strided;
  }
  const std::size_t bracket = opening_around(tokens, loop.body, at, "[", "]");
  if (bracket < tokens.size()) {
    const std::size_t close = lex::find_closing(tokens, bracket);
    if (close + 1 < tokens.size() && tokens[close + 1].is("[")) return Use::Strided;
  }
  return Use::Contiguous;
}

bool is_strided(const Tokens& tokens, const ForLoop& loop) {
  bool strides = false;
  for (std::size_t i = loop.body; i < loop.end; ++i) {
    if (tokens[i].kind != Token::Kind::Word || tokens[i].text != loop.variable) continue;
    const Use use = use_of(tokens, loop, i);
    if (use == Use::Contiguous) return false;
    strides |= use == Use::Strided;
  }
  return strides;
}

}  // namespace

std::optional<std::string> strided_loop(std::string_view source) {
  const lex::Tokens tokens = lex::tokenize(source);
  const auto loops = loops_of(tokens);
  int deepest = 0;
  for (const ForLoop& loop : loops) deepest = std::max(deepest, loop.depth);
  for (const ForLoop& loop : loops)
    if (loop.depth == deepest && loop.is_innermost && !loop.variable.empty() &&
        is_strided(tokens, loop))
      return std::string(loop.variable);
  return std::nullopt;
}

std::string contiguous_axis(const task::Definition& task) {
  const task::TensorSpec* largest = nullptr;
  for (const task::TensorSpec& tensor : task.tensors)
    if (!tensor.shape.empty() &&
        (largest == nullptr || tensor.shape.size() > largest->shape.size()))
      largest = &tensor;
  if (largest == nullptr) return {};
  const std::vector<std::string>& names = largest->shape.back().expr.names();
  const auto dim =
      std::find_first_of(names.begin(), names.end(), task.dims.begin(), task.dims.end());
  if (dim == names.end()) return {};
  const lex::Tokens tokens = lex::tokenize(task.reference);
  for (const ForLoop& loop : loops_of(tokens))
    for (std::size_t i = loop.header; i < loop.body; ++i)
      if (tokens[i].is(*dim) && !loop.variable.empty()) return std::string(loop.variable);
  return *dim;
}

}  // namespace kw::memory
