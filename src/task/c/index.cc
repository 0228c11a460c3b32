// Reads sums of products of names and numbers.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/index.h"

#include <charconv>
#include <utility>

#include "task/c/polynomial.h"

namespace kw::task {
namespace {

constexpr int kMaxNesting = 32;

std::optional<Polynomial> number(std::string_view text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  if (code != std::errc() || suffix.find_first_not_of("uUlL") != std::string_view::npos)
    return std::nullopt;
  return value == 0 ? Polynomial{} : Polynomial{{{}, value}};
}

}  // namespace

void IndexReader::define(std::string name, Polynomial value) {
  std::erase_if(value, [](const auto& term) { return term.second == 0; });
  known_[std::move(name)] = std::move(value);
}

void IndexReader::forget(const std::string& name) { known_.erase(name); }

const Polynomial* IndexReader::value_of(std::string_view name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<Polynomial> IndexReader::sum(std::size_t& i, std::size_t end, int nesting) const {
  if (nesting > kMaxNesting) return std::nullopt;
  auto total = product(i, end, nesting);
  while (total && i < end && (at(i, "+") || at(i, "-"))) {
    const std::int64_t sign = at(i, "+") ? 1 : -1;
    const auto term = product(++i, end, nesting);
    total = term ? add(std::move(*total), *term, sign) : std::nullopt;
  }
  return total;
}

std::optional<Polynomial> IndexReader::product(std::size_t& i, std::size_t end, int nesting) const {
  auto total = factor(i, end, nesting);
  while (total && i < end && at(i, "*")) {
    const auto next = factor(++i, end, nesting);
    total = next ? multiply(*total, *next) : std::nullopt;
  }
  return total;
}

std::optional<Polynomial> IndexReader::factor(std::size_t& i, std::size_t end, int nesting) const {
  if (i >= end || nesting > kMaxNesting) return std::nullopt;
  const auto& token = tokens_[i];
  if (token.is("-")) {
    const auto inner = factor(++i, end, nesting + 1);
    return inner ? add({}, *inner, -1) : std::nullopt;
  }
  if (token.is("static_cast")) {
    while (i < end && !at(i, "(")) ++i;
    return factor(i, end, nesting + 1);
  }
  if (token.is("(")) return parenthesised(i, end, nesting);
  ++i;
  if (token.kind == lex::Token::Kind::Number) return number(token.text);
  if (token.kind == lex::Token::Kind::Word && at(i, "[") &&
      arrays_.contains(std::string(token.text))) {
    while (i < end && at(i, "[")) i = lex::find_closing(tokens_, i) + 1;
    return i <= end ? std::optional(Polynomial{{{std::string(token.text) + "[]"}, 1}})
                    : std::nullopt;
  }
  if (token.kind != lex::Token::Kind::Word || at(i, "(") || at(i, "[")) return std::nullopt;
  if (const auto found = known_.find(token.text); found != known_.end()) return found->second;
  return Polynomial{{{std::string(token.text)}, 1}};
}

std::optional<Polynomial> IndexReader::parenthesised(std::size_t& i, std::size_t end,
                                                     int nesting) const {
  const auto close = lex::find_closing(tokens_, i);
  if (close >= end) return std::nullopt;
  // Parentheses that hold only words of a type, before a factor, are a cast.
  const bool is_cast = tokens_[close - 1].is("size_t") || tokens_[close - 1].is("int") ||
                       tokens_[close - 1].is("long") || tokens_[close - 1].is("ptrdiff_t") ||
                       tokens_[close - 1].is("int64_t");
  if (is_cast) {
    i = close + 1;
    return factor(i, end, nesting + 1);
  }
  std::size_t inside = i + 1;
  auto inner = sum(inside, close, nesting + 1);
  i = close + 1;
  return inside == close ? inner : std::nullopt;
}

std::optional<Polynomial> IndexReader::whole(std::size_t begin, std::size_t end) const {
  auto polynomial = sum(begin, end, 0);
  return begin == end ? polynomial : std::nullopt;
}

}  // namespace kw::task
