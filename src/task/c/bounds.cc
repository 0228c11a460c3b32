// Follows conditions over loop variables and replaces each variable by its extreme.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/bounds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"
#include "task/c/polynomial.h"

namespace kw::task {
namespace {

constexpr int kMostReplaced = 16;              // that are replaced in one index
constexpr int kDeepestCondition = 16;          // of one condition
constexpr std::size_t kLongestOperand = 4096;  // tokens of a side of `&&` or `?`

/// Whether the name occurs in one product alone, with the factor 1 or -1 and no other name.
std::int64_t unit_factor(const Polynomial& polynomial, const std::string& name) {
  std::int64_t unit = 0;
  for (const auto& [monomial, factor] : polynomial) {
    if (!contains(monomial, name)) continue;
    if (unit != 0 || monomial.size() != 1 || (factor != 1 && factor != -1)) return 0;
    unit = factor;
  }
  return unit;
}

std::set<std::string> names_in(const Polynomial& polynomial) {
  std::set<std::string> names;
  for (const auto& [monomial, factor] : polynomial) names.insert(monomial.begin(), monomial.end());
  return names;
}

}  // namespace

Bounds::Bounds(const CFunction& function, const std::vector<lex::Token>& tokens,
               const IndexReader& reader, const Loops& loops, const Branches& branches)
    : function_(function), tokens_(tokens), reader_(reader), loops_(loops) {
  for (const Branch& branch : branches.all()) {
    const std::size_t begin = branch.begin + 2, end = branch.then - 1;
    add_guard(begin, end, false, branch.then, branch.then_end);
    if (branch.end > branch.then_end) add_guard(begin, end, true, branch.then_end, branch.end);
    // Without braces around it, the statement is all that a loop or another condition holds.
    if (at(branch.begin - 1, "{") || at(branch.begin - 1, "}") || at(branch.begin - 1, ";"))
      add_rest(branch, branches, block_end(branch.begin));
  }
  find_expressions();
}

void Bounds::find_expressions() {
  for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
    if (!at(i, "?") && !at(i, "&&")) continue;
    const bool is_and = at(i, "&&");
    const std::size_t begin = operand_begin(i, is_and);
    const std::size_t end = operand_end(i + 1, is_and);
    add_guard(begin, i, false, i + 1, end);
    if (!is_and && at(end, ":")) add_guard(begin, i, true, end + 1, operand_end(end + 1, false));
  }
}

std::size_t Bounds::operand_begin(std::size_t i, bool is_and) const {
  static constexpr auto kStops = std::to_array<std::string_view>(
      {";", "{", "}", ",", "?", ":", "=", "+=", "-=", "*=", "/=", "return"});
  int depth = 0;
  const std::size_t end = i;
  for (; i > function_.open + 1; --i) {
    if (end - i > kLongestOperand) return end;  // an empty condition, which is not understood
    if (at(i - 1, ")") || at(i - 1, "]")) ++depth;
    if ((at(i - 1, "(") || at(i - 1, "[")) && --depth < 0) return i;
    if (depth == 0 && (contains(kStops, tokens_[i - 1].text) || (is_and && at(i - 1, "||"))))
      return i;
  }
  return i;
}

std::size_t Bounds::operand_end(std::size_t i, bool is_and) const {
  int depth = 0, choices = 0;
  for (const std::size_t begin = i; i < function_.close && i - begin < kLongestOperand; ++i) {
    if (at(i, "(") || at(i, "[")) ++depth;
    if ((at(i, ")") || at(i, "]")) && --depth < 0) return i;
    if (depth > 0) continue;
    if (at(i, ";") || at(i, ",") || at(i, "}") || at(i, "{")) return i;
    if (is_and && (at(i, "||") || at(i, "?"))) return i;
    if (at(i, "?")) ++choices;
    if (at(i, ":") && choices-- == 0) return i;
  }
  return i;
}

/// The brace that closes the block around the token, or the label of a `switch` before it.
std::size_t Bounds::block_end(std::size_t i) const {
  int depth = 0;
  for (; i < function_.close; ++i) {
    if (at(i, "{")) ++depth;
    if (at(i, "}") && --depth < 0) return i;
    if (depth == 0 && (at(i, "case") || at(i, "default"))) return i;
  }
  return i;
}

/// What a branch that leaves the block says about the rest of it: the other branch was taken.
void Bounds::add_rest(const Branch& branch, const Branches& branches, std::size_t to) {
  const Branch* next = &branch;
  while (next != nullptr) {
    const std::size_t begin = next->begin + 2, end = next->then - 1, other = next->then_end + 1;
    const bool has_other = next->end > next->then_end;
    if (has_other && leaves(tokens_, other, next->end)) add_guard(begin, end, false, next->end, to);
    if (!leaves(tokens_, next->then, next->then_end)) return;
    add_guard(begin, end, true, next->end, to);
    const auto& all = branches.all();
    const auto inner = has_other && at(other, "if")
                           ? std::ranges::lower_bound(all, other, {}, &Branch::begin)
                           : all.end();
    next = inner != all.end() && inner->begin == other ? &*inner : nullptr;
  }
}

void Bounds::add_guard(std::size_t begin, std::size_t end, bool is_negated, std::size_t from,
                       std::size_t to) {
  Guard guard{from, to, {}, false};
  guard.is_understood = read(begin, end, is_negated, from, guard.constraints, 0);
  guards_.push_back(std::move(guard));
}

/// Adds what the condition says about variables of loops; returns whether that is all it says.
bool Bounds::read(std::size_t begin, std::size_t end, bool is_negated, std::size_t place,
                  std::vector<Polynomial>& constraints, int depth) const {
  if (depth > kDeepestCondition) return false;
  const auto parts = [&](std::string_view op) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i, "(") || at(i, "[")) i = lex::find_closing(tokens_, i);
      if (i < end && at(i, op)) cuts.push_back(i);
    }
    return cuts;
  };
  for (int nesting = 0; nesting < kDeepestCondition && begin < end; ++nesting) {
    if (at(begin, "(") && lex::find_closing(tokens_, begin) == end - 1) {
      ++begin, --end;
      continue;
    }
    if (at(begin, "!") && at(begin + 1, "(") && lex::find_closing(tokens_, begin + 1) == end - 1) {
      ++begin;
      is_negated = !is_negated;
      continue;
    }
    for (const std::string_view op : {"||", "&&"}) {
      auto cuts = parts(op);
      if (cuts.empty()) continue;
      if ((op == "||") != is_negated) return false;  // one of several holds, and nobody knows which
      cuts.push_back(end);
      bool is_all = true;
      for (std::size_t from = begin; const std::size_t cut : cuts) {
        is_all = read(from, cut, is_negated, place, constraints, depth + 1) && is_all;
        from = cut + 1;
      }
      return is_all;
    }
    for (const std::string_view op : {"<", "<=", ">", ">=", "==", "!="})
      if (const auto cuts = parts(op); cuts.size() == 1)
        return compare(begin, cuts[0], end, is_negated, place, constraints);
    return false;
  }
  return false;
}

bool Bounds::compare(std::size_t begin, std::size_t op, std::size_t end, bool is_negated,
                     std::size_t place, std::vector<Polynomial>& constraints) const {
  const auto left = reader_.whole(begin, op), right = reader_.whole(op + 1, end);
  const auto up = left && right ? add(*right, *left, -1) : std::nullopt;    // right - left
  const auto down = left && right ? add(*left, *right, -1) : std::nullopt;  // left - right
  if (!up || !down) return false;
  for (const std::string& name : names_in(*up)) {
    const CParameter* parameter = function_.find(name);
    const bool is_size =
        parameter != nullptr && !parameter->is_pointer && !is_real(parameter->dtype);
    if (!is_size && loops_.of(name, place) == nullptr) return false;
  }
  if (innermost_in(*up, place) == nullptr) return true;  // sizes alone, which bound no index
  const Polynomial one = {{{}, 1}};
  const auto require = [&](const Polynomial& difference, bool is_strict) {
    const auto constraint = is_strict ? add(difference, one, -1) : difference;
    if (constraint) constraints.push_back(*constraint);
    return constraint.has_value();
  };
  if (at(op, "<")) return is_negated ? require(*down, false) : require(*up, true);
  if (at(op, "<=")) return is_negated ? require(*down, true) : require(*up, false);
  if (at(op, ">")) return is_negated ? require(*up, false) : require(*down, true);
  if (at(op, ">=")) return is_negated ? require(*up, true) : require(*down, false);
  if (at(op, "==") != is_negated) return require(*up, false) && require(*down, false);
  return unequal(*down, place, constraints);
}

/// A value that the variable of a loop has at one of its ends bounds it where the value is ruled
/// out.
bool Bounds::unequal(const Polynomial& difference, std::size_t place,
                     std::vector<Polynomial>& constraints) const {
  const CountingLoop* loop = innermost_in(difference, place);
  const std::int64_t unit = unit_factor(difference, loop->variable);
  if (unit == 0) return false;
  const Polynomial variable = {{{loop->variable}, 1}};
  const auto scaled = add({}, difference, unit);  // variable - value
  const auto value = scaled ? add(variable, *scaled, -1) : std::nullopt;
  const auto last = add(loop->bound, {{{}, 1}}, -1);
  if (!value || !last) return false;
  const bool is_first = *value == loop->first;
  if (!is_first && *value != *last) return false;
  const auto away = add({}, *scaled, is_first ? 1 : -1);
  const auto constraint = away ? add(*away, {{{}, 1}}, -1) : std::nullopt;
  if (constraint) constraints.push_back(*constraint);
  return constraint.has_value();
}

const CountingLoop* Bounds::innermost_in(const Polynomial& index, std::size_t token) const {
  const CountingLoop* innermost = nullptr;
  for (const std::string& name : names_in(index)) {
    const CountingLoop* loop = loops_.of(name, token);
    if (loop != nullptr && (innermost == nullptr || loop->begin > innermost->begin))
      innermost = loop;
  }
  return innermost;
}

void Bounds::tighten(const Polynomial& index, std::size_t token, bool is_most, bool may_vary,
                     Limit& limit) const {
  const CountingLoop* own = innermost_in(index, token);
  for (const Guard& guard : guards_) {
    if (token < guard.from || token >= guard.to) continue;
    if (!guard.is_understood) limit.is_reached = false;
    for (const Polynomial& constraint : guard.constraints) {
      // Another loop may have begun since the condition was read, with a variable of the same name.
      const CountingLoop* moved = innermost_in(constraint, token);
      if (moved != nullptr && moved->begin >= guard.from) continue;
      // constraint >= 0, so that index <= index + constraint and index >= index - constraint.
      const auto bound = add(index, constraint, is_most ? 1 : -1);
      const CountingLoop* left = bound ? innermost_in(*bound, token) : nullptr;
      const bool is_usable =
          bound && (left == nullptr || (may_vary && own != nullptr && left->begin < own->begin));
      if (!is_usable) {
        const auto is_variable = [&](const std::string& name) {
          return loops_.of(name, token) != nullptr;
        };
        if (std::ranges::count_if(names_in(constraint), is_variable) > 1) limit.is_reached = false;
        continue;
      }
      const Polynomial& low = is_most ? *bound : limit.value;
      const Polynomial& high = is_most ? limit.value : *bound;
      if (is_at_most(low, high))
        limit.value = *bound;
      else if (!is_at_most(high, low))
        limit.is_reached = false;
    }
  }
}

std::pair<Polynomial, Polynomial> Bounds::range(const CountingLoop& loop, std::size_t token) const {
  const Polynomial variable = {{{loop.variable}, 1}};
  Limit low{loop.first, true}, high{add(loop.bound, {{{}, 1}}, -1).value_or(loop.bound), true};
  tighten(variable, token, false, true, low);
  tighten(variable, token, true, true, high);
  return {low.value, add(high.value, {{{}, 1}}, 1).value_or(high.value)};
}

bool Bounds::is_understood(std::size_t from) const {
  return std::ranges::any_of(
      guards_, [&](const Guard& guard) { return guard.from == from && guard.is_understood; });
}

std::optional<Limit> Bounds::extreme(const Polynomial& index, std::size_t token, bool is_most,
                                     bool heeds_conditions) const {
  Limit limit{index, true};
  for (int i = 0; i < kMostReplaced; ++i) {
    const CountingLoop* loop = innermost_in(limit.value, token);
    if (loop == nullptr) break;
    const Polynomial variable = {{{loop->variable}, 1}};
    const auto last = add(loop->bound, {{{}, 1}}, -1);
    if (!last) return std::nullopt;
    Limit low{loop->first, true}, high{*last, true};
    if (heeds_conditions) {
      tighten(variable, token, false, true, low);
      tighten(variable, token, true, true, high);
    }
    if (contains(names_in(low.value), loop->variable) ||
        contains(names_in(high.value), loop->variable))
      return std::nullopt;
    std::optional<Polynomial> replaced = Polynomial{};
    for (const auto& [monomial, factor] : limit.value) {
      if (std::ranges::count(monomial, loop->variable) > 1) return std::nullopt;
      const Limit& end = (factor > 0) == is_most ? high : low;
      const bool has = contains(monomial, loop->variable);
      const auto term = has ? replace({{monomial, factor}}, loop->variable, end.value)
                            : std::optional<Polynomial>({{monomial, factor}});
      replaced = term ? add(std::move(*replaced), *term, 1) : std::nullopt;
      if (!replaced) return std::nullopt;
      limit.is_reached = limit.is_reached && (!has || end.is_reached);
    }
    limit.value = std::move(*replaced);
  }
  for (const std::string& name : names_in(limit.value)) {
    const CParameter* parameter = function_.find(name);
    if (parameter == nullptr || parameter->is_pointer || is_real(parameter->dtype))
      return std::nullopt;
  }
  if (heeds_conditions) tighten(index, token, is_most, false, limit);
  return limit;
}

std::optional<Limit> Bounds::least(const Polynomial& index, std::size_t token,
                                   bool heeds_conditions) const {
  return extreme(index, token, false, heeds_conditions);
}

std::optional<Limit> Bounds::most(const Polynomial& index, std::size_t token,
                                  bool heeds_conditions) const {
  return extreme(index, token, true, heeds_conditions);
}

}  // namespace kw::task
