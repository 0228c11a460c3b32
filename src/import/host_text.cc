// Reads the structure of the tokens of a host function: brackets, statements, types, and writes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "import/host_text.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Token = lex::Token;

bool is_counting(const Token& token) { return is_one_of(token, {"++", "--"}); }

}  // namespace

std::size_t HostText::closing(std::size_t open) const {
  return std::min(lex::find_closing(*tokens_, open), tokens_->size());
}

std::size_t HostText::place(std::size_t i) const {
  return i < tokens_->size() ? (*tokens_)[i].offset
                             : (tokens_->empty() ? 0 : tokens_->back().offset);
}

std::size_t HostText::statement_end(std::size_t i, std::size_t end, int depth) const {
  if (i >= end || depth > kDeepestStatements) return end;
  if (at(i).is("{")) return std::min(closing(i) + 1, end);
  if (at(i).is("do")) {
    i = statement_end(i + 1, end, depth + 1);
  } else if (is_one_of(at(i), {"if", "for", "while", "switch"})) {
    const bool is_if = at(i).is("if");
    while (i < end && !at(i).is("(")) ++i;
    i = statement_end(std::min(closing(i) + 1, end), end, depth + 1);
    if (is_if && i < end && at(i).is("else")) return statement_end(i + 1, end, depth + 1);
    return i;
  }
  while (i < end && !at(i).is(";")) {
    if (at(i).is("(") || at(i).is("[") || at(i).is("{")) i = closing(i);
    ++i;
  }
  return std::min(i + 1, end);
}

std::vector<std::pair<std::size_t, std::size_t>> HostText::parts_between(
    std::size_t begin, std::size_t end, std::string_view sign) const {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t start = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i == end || at(i).is(sign)) {
      if (i > start) parts.emplace_back(start, i);
      start = i + 1;
    } else if (at(i).is("(") || at(i).is("[") || at(i).is("{")) {
      i = std::min(closing(i), end - 1);
    } else if (const std::size_t inner = after_launch_open(*tokens_, i)) {
      // Commas inside <<<grid, block>>> do not end an expression here.
      for (i = inner; i < end && !(at(i).is(">>") && at(i + 1).is(">")); ++i)
        if (at(i).is("(") || at(i).is("{")) i = std::min(closing(i), end - 1);
      ++i;
      if (i >= end) i = end - 1;
    } else if (at(i).is("<") && i > begin && at(i - 1).kind == Token::Kind::Word) {
      if (const std::size_t after = after_angles(*tokens_, i, end); after > i + 1) i = after - 1;
    }
  }
  return parts;
}

bool HostText::is_write(std::size_t i) const {
  return is_one_of(at(i),
                   {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
}

std::pair<std::size_t, std::size_t> HostText::written_by(std::size_t sign, std::size_t begin,
                                                         std::size_t end) const {
  const auto is_part = [&](std::size_t i) {
    return at(i).kind == Token::Kind::Word || is_one_of(at(i), {".", "->", "::"});
  };
  const bool is_after = sign > begin && (at(sign - 1).kind == Token::Kind::Word ||
                                         is_one_of(at(sign - 1), {"]", ")"}));
  if (is_counting(at(sign)) && !is_after) {
    std::size_t i = sign + 1;
    while (i < end && (is_part(i) || is_one_of(at(i), {"*", "(", "["})))
      i = is_one_of(at(i), {"(", "["}) ? std::min(closing(i) + 1, end) : i + 1;
    return {sign + 1, i};
  }
  // The range goes back to the beginning of the expression, since a part of the operand may be a
  // call.
  std::size_t i = sign;
  int depth = 0;
  for (; i > begin; --i) {
    const Token& token = at(i - 1);
    if (is_one_of(token, {")", "]", "}"})) ++depth;
    if (is_one_of(token, {"(", "[", "{"}) && --depth < 0) break;
    if (depth > 0) continue;
    if (is_one_of(token, {";", ",", "?", ":", "&&", "||", "{", "}"}) || is_write(i - 1)) break;
    if (is_counting(at(sign)) && !is_part(i - 1) && !is_one_of(token, {"]", ")", "[", "("})) break;
  }
  return {i, sign};
}

std::set<std::string> HostText::names_written(std::size_t begin, std::size_t end) const {
  std::set<std::string> names;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (at(i).is("[")) i = closing(i);  // an index is only read
      const bool is_field = i > from && is_one_of(at(i - 1), {".", "->"});
      if (i < to && at(i).kind == Token::Kind::Word && !is_field) names.emplace(at(i).text);
    }
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (is_write(i)) {
      const auto [from, to] = written_by(i, begin, end);
      add(from, to);
    }
    const bool is_before_word = at(i + 1).kind == Token::Kind::Word && i + 1 < end;
    // The address of a name is taken, or the name is the target of a stream's >>; both may change
    // the variable.
    if ((at(i).is("&") || at(i).is(">>")) && is_before_word) add(i + 1, i + 2);
    // The arguments of a call may be passed by reference.
    if (at(i).is("(") && i > begin && at(i - 1).kind == Token::Kind::Word &&
        !is_one_of(at(i - 1), {"if", "while", "for", "switch", "return", "sizeof"}))
      for (const auto& [from, to] : parts_between(i + 1, std::min(closing(i), end), ","))
        if (at(from).kind == Token::Kind::Word) add(from, from + 1);
  }
  return names;
}

bool HostText::has_effects(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (is_write(i) || after_launch_open(*tokens_, i) != 0) return true;
    if (at(i).is("(") && i > begin && at(i - 1).kind == Token::Kind::Word) return true;
  }
  return false;
}

TypeAt HostText::type_at(std::size_t i, std::size_t end) const {
  static constexpr auto kNumbers = {"unsigned", "signed", "long", "short", "int", "char"};
  TypeAt type;
  bool is_number = false;
  for (; i < end; ++i) {
    const Token& token = at(i);
    if (is_one_of(token, {"const", "constexpr"})) {
      type.is_const = type.is_const || type.stars == 0;
      continue;
    }
    if (is_one_of(token, {"static", "thread_local"})) type.is_static = true;
    if (is_one_of(token, {"static", "thread_local", "volatile", "struct", "typename", "inline",
                          "extern", "register"}))
      continue;
    if (token.is("*") && !type.type.empty()) {
      ++type.stars;
      continue;
    }
    if ((token.is("&") || token.is("&&")) && !type.type.empty()) {
      type.is_reference = true;
      continue;
    }
    if (is_one_of(token, {"__restrict__", "__restrict"})) continue;
    if (token.kind != Token::Kind::Word) break;
    const bool is_part = std::ranges::find(kNumbers, token.text) != kNumbers.end();
    if (!type.type.empty() && !(is_number && is_part)) break;
    if (is_one_of(token, {"return", "new", "delete", "sizeof", "if", "else", "case", "throw"}))
      return {};
    type.type += (type.type.empty() ? "" : " ") + std::string(token.text);
    is_number = is_part;
    while (at(i + 1).is("::") && at(i + 2).kind == Token::Kind::Word) {
      type.type += "::" + std::string(at(i + 2).text);
      i += 2;
    }
    if (at(i + 1).is("<"))
      if (const std::size_t after = after_angles(*tokens_, i + 1, end); after > i + 2) {
        for (std::size_t k = i + 1; k < after; ++k) type.type += at(k).text;
        i = after - 1;
      }
  }
  if (type.type.empty()) return {};
  type.type = device_type(type.type, types_);
  type.end = i;
  return type;
}

}  // namespace kw::import
