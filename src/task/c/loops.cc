// Reads the heads of `for` and `while` loops.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/loops.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"
#include "task/c/branches.h"
#include "task/c/polynomial.h"

namespace kw::task {

bool is_assignment(const std::vector<lex::Token>& tokens, std::size_t i) {
  static constexpr auto kOperators = std::to_array<std::string_view>(
      {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
  return i < tokens.size() && tokens[i].kind == lex::Token::Kind::Symbol &&
         contains(kOperators, tokens[i].text);
}

Loops::Loops(const CFunction& function, const std::vector<lex::Token>& tokens, IndexReader& reader,
             const ElementBounds& elements)
    : function_(function), tokens_(tokens), reader_(reader) {
  for (const auto& [array, element] : elements) {
    const bool is_local = element.use == ElementUse::Search;
    CountingLoop loop{
        is_local ? array : array + "[]", {}, element.size, 0, function.open, function.close};
    if (!is_local && element.use != ElementUse::Index)
      loop.bound = add(loop.bound, {{{}, 1}}, 1).value_or(loop.bound);
    elements_.push_back(std::move(loop));
  }
  for (std::size_t i = function_.open; i + 1 < function_.close; ++i) {
    const bool is_while = at(i, "while");
    if ((!at(i, "for") && !is_while) || !at(i + 1, "(")) continue;
    const std::size_t close = lex::find_closing(tokens_, i + 1);
    if (close >= function_.close) return;
    if (auto loop = is_while ? read_while(i, close) : read_for(i, close)) {
      if (is_while) counted_.insert(i);
      reader.forget(loop->variable);
      loops_.push_back(std::move(*loop));
    } else if (auto limited = read_limited(i, close)) {
      limited_.push_back(std::move(*limited));
    }
  }
}

const CountingLoop* Loops::of(std::string_view variable, std::size_t token) const {
  const CountingLoop* innermost = nullptr;
  for (const CountingLoop& loop : loops_)
    if (loop.variable == variable && loop.begin <= token && token < loop.end) innermost = &loop;
  const auto element = std::ranges::find(elements_, variable, &CountingLoop::variable);
  return innermost == nullptr && element != elements_.end() ? &*element : innermost;
}

int Loops::depth() const {
  int most = 0;
  for (const CountingLoop& loop : loops_)
    most = std::max(most,
                    static_cast<int>(std::ranges::count_if(loops_, [&](const CountingLoop& outer) {
                      return outer.begin <= loop.begin && loop.end <= outer.end;
                    })));
  return most;
}

bool Loops::is_moved(std::string_view variable, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i)
    if (at(i, variable) && !at(i - 1, ".") && !at(i - 1, "->") &&
        (is_assignment(tokens_, i + 1) || at(i - 1, "++") || at(i - 1, "--")))
      return true;
  return false;
}

/// What the head adds to the variable; 0 where that is no plain number, nothing where the head
/// moves another variable.
std::optional<std::int64_t> Loops::step_of(std::size_t begin, std::size_t end,
                                           std::string_view variable) const {
  if (end < begin + 2) return std::nullopt;
  if ((at(begin, "++") || at(begin, "--")) && at(begin + 1, variable) && end == begin + 2)
    return at(begin, "++") ? 1 : -1;
  if (!at(begin, variable)) return std::nullopt;
  if (end == begin + 2 && at(begin + 1, "++")) return 1;
  if (end == begin + 2 && at(begin + 1, "--")) return -1;
  if (!at(begin + 1, "+=") && !at(begin + 1, "-=")) return 0;
  const auto step = reader_.whole(begin + 2, end);
  if (!step || step->size() != 1 || !step->begin()->first.empty()) return 0;
  return at(begin + 1, "+=") ? step->begin()->second : -step->begin()->second;
}

std::optional<CountingLoop> Loops::read_for(std::size_t begin, std::size_t close) const {
  const auto semicolon = [&](std::size_t from) {
    while (from < close && !at(from, ";")) ++from;
    return from;
  };
  const std::size_t first = semicolon(begin + 2), second = semicolon(first + 1);
  if (second >= close) return std::nullopt;
  std::size_t equals = begin + 2;
  while (equals < first && !at(equals, "=")) ++equals;
  if (equals == first) return std::nullopt;
  CountingLoop loop;
  loop.variable = tokens_[equals - 1].text;
  loop.begin = begin;
  loop.end = nest_end(tokens_, close + 1, function_.close);
  if (!at(first + 1, loop.variable)) return std::nullopt;
  const auto step = step_of(second + 1, close, loop.variable);
  const auto start = reader_.whole(equals + 1, first);
  auto limit = reader_.whole(first + 3, second);
  if (!step || !limit || is_moved(loop.variable, close + 1, loop.end)) return std::nullopt;
  const bool is_up =
      at(first + 2, "<") || at(first + 2, "<=") || (at(first + 2, "!=") && *step == 1);
  const bool is_down = at(first + 2, ">") || at(first + 2, ">=");
  if ((!is_up && !is_down) || (is_up ? *step < 0 : *step > 0) || !start) return std::nullopt;
  const bool is_next = at(first + 2, "<=") || at(first + 2, ">");
  limit = add(std::move(*limit), {{{}, is_next ? 1 : 0}}, 1);
  auto after = add(*start, {{{}, 1}}, 1);
  if (!limit || !after) return std::nullopt;
  std::erase_if(*limit, [](const auto& term) { return term.second == 0; });
  loop.step = is_up ? *step : -*step;
  loop.first = is_up ? *start : std::move(*limit);
  loop.bound = is_up ? std::move(*limit) : std::move(*after);
  return loop;
}

/// Reads a `while` loop that counts: `i = 0; while (i < n) { …; i++; }`.
std::optional<CountingLoop> Loops::read_while(std::size_t begin, std::size_t close) const {
  CountingLoop loop;
  loop.variable = tokens_[begin + 2].text;
  loop.begin = begin;
  loop.end = nest_end(tokens_, close + 1, function_.close);
  const auto bound = reader_.whole(begin + 4, close);
  if (!at(begin + 3, "<") || !bound) return std::nullopt;
  loop.bound = *bound;
  bool starts_at_zero = false;
  for (std::size_t i = begin; i-- > function_.open && !starts_at_zero;)
    if (at(i, loop.variable) && is_assignment(tokens_, i + 1)) {
      if (!at(i + 1, "=") || !at(i + 2, "0")) return std::nullopt;
      starts_at_zero = true;
    }
  int steps = 0;
  for (std::size_t i = close; i < loop.end; ++i) {
    if (!at(i, loop.variable)) continue;
    const bool is_step = at(i + 1, "++") || at(i - 1, "++") || (at(i + 1, "+=") && at(i + 2, "1"));
    if (!is_step && (is_assignment(tokens_, i + 1) || at(i - 1, "--"))) return std::nullopt;
    // The step is the body's last statement, so that the body sees every value from the first on.
    if (is_step && statement_end(tokens_, i, function_.close) + 1 != loop.end) return std::nullopt;
    steps += is_step;
  }
  return steps == 1 && starts_at_zero ? std::optional(loop) : std::nullopt;
}

/// What the last assignment before the token gives the variable.
std::optional<Polynomial> Loops::value_before(std::string_view variable, std::size_t token) const {
  for (std::size_t i = token; i-- > function_.open;) {
    if (!at(i, variable) || !is_assignment(tokens_, i + 1)) continue;
    std::size_t end = i + 2;
    while (end < token && !at(end, ";") && !at(end, ",") && !at(end, ")")) ++end;
    return at(i + 1, "=") ? reader_.whole(i + 2, end) : std::nullopt;
  }
  return std::nullopt;
}

/// How often the tokens add one to the variable; 0 if they change it in another way, too.
int Loops::steps_up(std::string_view variable, std::size_t begin, std::size_t end) const {
  int steps = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (!at(i, variable)) continue;
    if (at(i + 1, "++") || at(i - 1, "++") || (at(i + 1, "+=") && at(i + 2, "1")))
      ++steps;
    else if (is_assignment(tokens_, i + 1) || at(i - 1, "--"))
      return 0;
  }
  return steps;
}

/// Reads a loop that ends by data or by a count: `while (x < 4 && k < n) { …; k++; }`.
std::optional<CountingLoop> Loops::read_limited(std::size_t begin, std::size_t close) const {
  std::size_t from = begin + 2, to = close;
  if (at(begin, "for")) {
    while (from < close && !at(from, ";")) ++from;
    to = ++from;
    while (to < close && !at(to, ";")) ++to;
  }
  CountingLoop loop;
  loop.begin = begin;
  loop.end = nest_end(tokens_, close + 1, function_.close);
  for (std::size_t i = from; i < to; ++i) {
    std::size_t part = i;  // what stands between two `&&`
    for (; i < to && !at(i, "&&"); ++i) {
      if (at(i, "(")) i = std::min(lex::find_closing(tokens_, i), to);
      if (at(i, "||")) return std::nullopt;
    }
    std::size_t end = std::min(i, to);
    while (at(part, "(") && lex::find_closing(tokens_, part) == end - 1) ++part, --end;
    const std::size_t name = at(part, "++") ? part + 1 : part;
    const std::size_t compare = at(name + 1, "++") ? name + 2 : name + 1;
    if (compare + 1 >= end || !(at(compare, "<") || at(compare, "<=") || at(compare, "!=")))
      continue;
    loop.variable = tokens_[name].text;
    const auto bound = reader_.whole(compare + 1, end);
    const auto first = value_before(loop.variable, at(begin, "for") ? from : begin);
    const auto limit = bound ? add(*bound, {{{}, at(compare, "<=") ? 1 : 0}}, 1) : std::nullopt;
    if (!first || !limit || steps_up(loop.variable, from, loop.end) != 1) continue;
    loop.first = *first;
    loop.bound = *limit;
    for (Polynomial* const end_of : {&loop.first, &loop.bound})
      std::erase_if(*end_of, [](const auto& term) { return term.second == 0; });
    return loop;
  }
  return std::nullopt;
}

}  // namespace kw::task
