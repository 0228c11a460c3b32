// Finds out what the body of a C function reads and writes, and which array shapes its index
// expressions imply.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "task/c_branches.h"
#include "task/c_function.h"
#include "task/c_polynomial.h"

namespace kw::task {
namespace {

using Tokens = std::vector<CodeToken>;

constexpr int kMaxNesting = 32;

struct Loop {
  std::string variable;
  Polynomial bound;  ///< The loop variable's first value that is not reached.
  bool starts_at_zero = false;
  /// Index of the loop's first token. The range up to `end` includes the loop's body.
  std::size_t begin = 0;
  std::size_t end = 0;
};

class BodyStudy {
 public:
  BodyStudy(const CFunction& function, const Tokens& tokens,
            const std::map<std::string, std::int64_t>& macros)
      : function_(function), tokens_(tokens), branches_(function, tokens) {
    for (const auto& [name, value] : macros) known_[name] = {{{}, value}};
    for (const auto& parameter : function.parameters) known_.erase(parameter.name);
  }

  BodyFacts run() {
    find_locals();
    find_loops();
    for (const auto& parameter : function_.parameters)
      if (parameter.is_pointer) facts_.accesses[parameter.name] = study(parameter);
    return std::move(facts_);
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  /// Parses a sum that starts at token `i`, and sets `i` to the token after the sum.
  std::optional<Polynomial> sum(std::size_t& i, std::size_t end, int nesting = 0) const {
    if (nesting > kMaxNesting) return std::nullopt;
    auto total = product(i, end, nesting);
    while (total && i < end && (at(i, "+") || at(i, "-"))) {
      const std::int64_t sign = at(i, "+") ? 1 : -1;
      const auto term = product(++i, end, nesting);
      total = term ? add(std::move(*total), *term, sign) : std::nullopt;
    }
    return total;
  }

  std::optional<Polynomial> product(std::size_t& i, std::size_t end, int nesting) const {
    auto total = factor(i, end, nesting);
    while (total && i < end && at(i, "*")) {
      const auto next = factor(++i, end, nesting);
      total = next ? multiply(*total, *next) : std::nullopt;
    }
    return total;
  }

  std::optional<Polynomial> factor(std::size_t& i, std::size_t end, int nesting) const {
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
    if (token.kind == CodeToken::Kind::Number) return number(token.text);
    if (token.kind != CodeToken::Kind::Word || at(i, "(") || at(i, "[")) return std::nullopt;
    if (const auto found = known_.find(token.text); found != known_.end()) return found->second;
    return Polynomial{{{std::string(token.text)}, 1}};
  }

  std::optional<Polynomial> parenthesised(std::size_t& i, std::size_t end, int nesting) const {
    const auto close = find_closing(tokens_, i);
    if (close >= end) return std::nullopt;
    // Parentheses that hold only a type, before a factor, are a cast.
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

  static std::optional<Polynomial> number(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
    if (code != std::errc() || suffix.find_first_not_of("uUlL") != std::string_view::npos)
      return std::nullopt;
    return Polynomial{{{}, value}};
  }

  std::optional<Polynomial> whole(std::size_t begin, std::size_t end) const {
    auto polynomial = sum(begin, end);
    return begin == end ? polynomial : std::nullopt;
  }

  /// Finds locals that are assigned only once, as in `const int idx = i * n + j;`. They are
  /// replaced by their value wherever they are used.
  void find_locals() {
    std::map<std::string, int> assigned;
    for (std::size_t i = function_.open; i + 1 < function_.close; ++i)
      if (tokens_[i].kind == CodeToken::Kind::Word)
        assigned[std::string(tokens_[i].text)] +=
            (is_assignment(i + 1) ? 1 : 0) + (at(i - 1, "++") || at(i - 1, "--") ? 1 : 0);
    for (std::size_t i = function_.open + 1; i + 1 < function_.close; ++i) {
      const auto name = std::string(tokens_[i].text);
      const bool is_declared = tokens_[i - 1].kind == CodeToken::Kind::Word || at(i - 1, ",");
      if (tokens_[i].kind != CodeToken::Kind::Word || !at(i + 1, "=") || !is_declared ||
          assigned[name] != 1 || function_.find(name) != nullptr)
        continue;
      std::size_t end = i + 2;
      while (end < function_.close && !at(end, ";") && !at(end, ",")) ++end;
      auto value = whole(i + 2, end);
      if (value) known_[name] = std::move(*value);
    }
  }

  bool is_assignment(std::size_t i) const {
    static constexpr auto kOperators = std::to_array<std::string_view>(
        {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
    return i < tokens_.size() && tokens_[i].kind == CodeToken::Kind::Symbol &&
           std::ranges::find(kOperators, tokens_[i].text) != kOperators.end();
  }

  void find_loops() {
    for (std::size_t i = function_.open; i + 1 < function_.close; ++i) {
      const bool is_while = at(i, "while");
      if ((!at(i, "for") && !is_while) || !at(i + 1, "(")) continue;
      const auto close = find_closing(tokens_, i + 1);
      if (close >= function_.close) return;
      if (auto loop = is_while ? read_while(i, close) : read_loop(i, close)) {
        if (is_while) counted_.insert(i);
        known_.erase(loop->variable);
        loops_.push_back(std::move(*loop));
      }
    }
    for (const auto& loop : loops_) {
      int depth = 0;
      for (const auto& outer : loops_)
        if (outer.begin <= loop.begin && loop.end <= outer.end) ++depth;
      facts_.loop_depth = std::max(facts_.loop_depth, depth);
    }
  }

  std::optional<Loop> read_loop(std::size_t begin, std::size_t close) const {
    std::size_t first = begin + 2;
    while (first < close && !at(first, ";")) ++first;
    std::size_t second = first + 1;
    while (second < close && !at(second, ";")) ++second;
    if (second >= close) return std::nullopt;
    std::size_t equals = begin + 2;
    while (equals < first && !at(equals, "=")) ++equals;
    if (equals == first) return std::nullopt;
    Loop loop;
    loop.variable = tokens_[equals - 1].text;
    loop.starts_at_zero = equals + 2 == first && at(equals + 1, "0");
    loop.begin = begin;
    loop.end = statement_end(tokens_, close + 1, function_.close);
    const bool is_inclusive = at(first + 2, "<=");
    if (!at(first + 1, loop.variable) || (!at(first + 2, "<") && !is_inclusive))
      return std::nullopt;
    auto bound = whole(first + 3, second);
    if (bound) bound = add(std::move(*bound), {{{}, is_inclusive ? 1 : 0}}, 1);
    if (!bound) return std::nullopt;
    std::erase_if(*bound, [](const auto& term) { return term.second == 0; });
    loop.bound = std::move(*bound);
    return loop;
  }

  /// Reads a `while` loop that counts: `i = 0; while (i < n) { …; i++; }`.
  std::optional<Loop> read_while(std::size_t begin, std::size_t close) const {
    Loop loop;
    loop.variable = tokens_[begin + 2].text;
    loop.begin = begin;
    loop.end = statement_end(tokens_, close + 1, function_.close);
    const auto bound = whole(begin + 4, close);
    if (!at(begin + 3, "<") || !bound) return std::nullopt;
    loop.bound = *bound;
    for (std::size_t i = begin; i-- > function_.open && !loop.starts_at_zero;)
      if (at(i, loop.variable) && is_assignment(i + 1)) {
        if (!at(i + 1, "=") || !at(i + 2, "0")) return std::nullopt;
        loop.starts_at_zero = true;
      }
    int steps = 0;
    for (std::size_t i = close; i < loop.end; ++i) {
      if (!at(i, loop.variable)) continue;
      const bool is_step =
          at(i + 1, "++") || at(i - 1, "++") || (at(i + 1, "+=") && at(i + 2, "1"));
      if (!is_step && (is_assignment(i + 1) || at(i - 1, "--"))) return std::nullopt;
      // The increment must be the body's last statement; otherwise statements after it would not
      // see the first value.
      if (is_step && statement_end(tokens_, i, function_.close) + 1 != loop.end)
        return std::nullopt;
      steps += is_step;
    }
    return steps == 1 && loop.starts_at_zero ? std::optional(loop) : std::nullopt;
  }

  const Loop* loop_of(std::string_view variable, std::size_t token) const {
    const Loop* innermost = nullptr;
    for (const auto& loop : loops_)
      if (loop.variable == variable && loop.begin <= token && token < loop.end) innermost = &loop;
    return innermost;
  }

  Access study(const CParameter& parameter) {
    Access access;
    std::vector<Polynomial> best;
    std::vector<std::vector<Polynomial>> written;
    bool is_first = true;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i, parameter.name) || at(i - 1, ".") || at(i - 1, "->")) continue;
      std::size_t end = i + 1;
      std::vector<std::pair<std::size_t, std::size_t>> indices;
      while (at(end, "[")) {
        const auto close = find_closing(tokens_, end);
        if (close >= function_.close) break;
        indices.emplace_back(end + 1, close);
        end = close + 1;
      }
      // A pointer cannot be multiplied, so a star right before its name dereferences the pointer.
      const bool is_dereferenced = indices.empty() && at(i - 1, "*");
      if (indices.empty() && !is_dereferenced) {
        access.is_escaping = true;
        continue;
      }
      note_use(i, end, parameter.name, is_first, access);
      is_first = false;
      const bool is_set = at(end, "=");
      auto shape = is_dereferenced ? std::vector<Polynomial>{{{{}, 1}}}
                                   : shape_of(indices, i, is_set, access);
      if (is_set && branches_.is_sure(i, parameter.name)) written.push_back(shape);
      merge_shape(std::move(shape), best);
    }
    // A loop that ends at n - 1, as a stencil's does, leaves out the border of an array of n
    // elements.
    if (!best.empty()) {
      const auto constant = best.front().find(Monomial{});
      if (constant != best.front().end() && constant->second < 0 && best.front().size() > 1)
        best.front().erase(constant);
    }
    // Only a plain loop over the whole array is sure to write every element. If the array is also
    // read, a condition may read an element that another iteration would have written.
    access.is_partial = access.is_partial || branches_.has_jumps(counted_) ||
                        (access.is_read && branches_.has_any(counted_)) || best.empty() ||
                        std::ranges::find(written, best) == written.end();
    // A declared array bound takes precedence over a size guessed from index expressions.
    if (!parameter.bounds.empty()) {
      const auto guessed = best.empty() ? std::string() : to_expression(best.front());
      for (std::size_t i = 0; i < parameter.bounds.size(); ++i)
        access.shape.push_back(
            i == 0 && parameter.bounds[0].empty() ? guessed : with_macros(parameter.bounds[i]));
      if (access.shape.front().empty()) access.shape.clear();
    } else {
      for (const auto& size : best) access.shape.push_back(to_expression(size));
    }
    return access;
  }

  std::string with_macros(const std::string& bound) const {
    const auto tokens = tokenize(bound);
    std::string text;
    for (const auto& token : tokens) {
      const auto found = known_.find(token.text);
      const bool is_macro = token.kind == CodeToken::Kind::Word && found != known_.end();
      if (!text.empty()) text += ' ';
      text += is_macro ? to_expression(found->second) : std::string(token.text);
    }
    return text;
  }

  void note_use(std::size_t name, std::size_t end, const std::string& parameter, bool is_first,
                Access& access) const {
    const bool is_changed = is_assignment(end) || at(name - 1, "++") || at(name - 1, "--");
    const bool is_set = at(end, "=");
    if (is_changed) access.is_written = true;
    if (is_changed && !is_set) access.is_accumulated = true;
    if (!is_set) access.is_read = true;
    if (!is_first) return;
    access.is_read_first = !is_set;
    // In `y[i] = f(y[i])` the read of y happens before the write although it follows in the text.
    for (std::size_t i = end; i < function_.close && !at(i, ";"); ++i)
      if (at(i, parameter)) access.is_read_first = true;
  }

  /// The array's sizes as implied by the index expressions of one access; empty if they are not
  /// understood.
  std::vector<Polynomial> shape_of(const std::vector<std::pair<std::size_t, std::size_t>>& indices,
                                   std::size_t token, bool is_set, Access& access) const {
    std::vector<Polynomial> shape;
    if (indices.size() == 1) {
      const auto index = whole(indices[0].first, indices[0].second);
      if (index) shape = flat_shape(*index, token, is_set, access);
      return shape;
    }
    for (const auto& [begin, end] : indices) {
      const auto index = whole(begin, end);
      const auto size =
          index ? flat_shape(*index, token, is_set, access) : std::vector<Polynomial>{};
      if (size.size() != 1) return {};
      shape.push_back(size[0]);
    }
    return shape;
  }

  /// Sizes from a flat index such as `i * n * m + j * m + k`. Each loop variable is multiplied by a
  /// stride; sizes are quotients of successive strides, and the outermost size is the loop's bound.
  std::vector<Polynomial> flat_shape(const Polynomial& index, std::size_t token, bool is_set,
                                     Access& access) const {
    struct Term {
      const Loop* loop;
      Monomial stride;
    };
    std::vector<Term> terms;
    Polynomial rest;
    for (const auto& [monomial, factor] : index) {
      const Loop* loop = nullptr;
      Monomial stride;
      for (const auto& name : monomial) {
        const Loop* found = loop_of(name, token);
        if (found != nullptr && loop == nullptr)
          loop = found;
        else
          stride.push_back(name);
      }
      if (loop == nullptr)
        rest[monomial] = factor;
      else if (factor != 1)
        return {};
      else
        terms.push_back({loop, stride});
    }
    if (terms.empty()) {
      // The index contains no loop variable, so it must be the constant number of an element.
      if (rest.size() > 1 || (rest.size() == 1 && !rest.begin()->first.empty())) return {};
      const auto element = rest.empty() ? 0 : rest.begin()->second;
      return {{{{}, element + (element < INT64_MAX ? 1 : 0)}}};
    }
    if (!rest.empty()) access.has_offsets = true;
    std::ranges::sort(terms, {},
                      [](const Term& t) { return 0 - static_cast<int>(t.stride.size()); });
    if (!terms.back().stride.empty()) return {};
    for (const auto& term : terms)
      if (is_set && !term.loop->starts_at_zero) access.is_partial = true;
    // A constant offset along the outermost dimension, as in a stencil, is added to the loop's
    // bound for that dimension.
    auto outermost = terms[0].loop->bound;
    const auto offset = rest.find(terms[0].stride);
    if (offset != rest.end())
      outermost = add(std::move(outermost), {{{}, offset->second}}, 1).value_or(Polynomial{});
    std::vector<Polynomial> shape = {outermost};
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      const auto size = divide(terms[i].stride, terms[i + 1].stride);
      if (!size || size->empty()) return {};
      shape.push_back({{*size, 1}});
    }
    if (!uses_parameters_only(shape)) return {};
    note_row(terms.back().loop->bound, shape, access);
    return shape;
  }

  /// Notes the length of a row if it differs from the last size: then the last size is the distance
  /// between rows (the pitch).
  void note_row(const Polynomial& bound, const std::vector<Polynomial>& shape,
                Access& access) const {
    const auto difference = add(shape.back(), bound, -1);
    const bool is_constant =
        difference &&
        (difference->empty() || (difference->size() == 1 && difference->begin()->first.empty()));
    if (shape.size() > 1 && !is_constant && uses_parameters_only({bound}))
      access.row = to_expression(bound);
  }

  bool uses_parameters_only(const std::vector<Polynomial>& shape) const {
    for (const auto& size : shape)
      for (const auto& [monomial, factor] : size)
        for (const auto& name : monomial) {
          const auto* parameter = function_.find(name);
          if (parameter == nullptr || parameter->is_pointer || is_real(parameter->dtype))
            return false;
        }
    return true;
  }

  /// Merges the shapes of two accesses: keeps the one with more dimensions. If the number of
  /// dimensions is equal and a size differs only by a constant, keeps the larger size.
  static void merge_shape(std::vector<Polynomial> shape, std::vector<Polynomial>& best) {
    if (shape.size() > best.size()) {
      best = std::move(shape);
    } else if (shape.size() == best.size()) {
      const auto is_constant = [](const Polynomial& size) {
        return size.empty() || (size.size() == 1 && size.begin()->first.empty());
      };
      for (std::size_t i = 0; i < shape.size(); ++i) {
        // A loop's bound replaces a constant index, for example if both `y[0]` and `y[i]` occur.
        if (is_constant(best[i]) && !is_constant(shape[i])) best[i] = shape[i];
        const auto difference = add(shape[i], best[i], -1);
        if (difference && difference->size() == 1 && difference->begin()->first.empty() &&
            difference->begin()->second > 0)
          best[i] = shape[i];
      }
    }
  }

  const CFunction& function_;
  const Tokens& tokens_;
  const Branches branches_;
  std::set<std::size_t> counted_;  ///< Tokens of each `while` that is a plain loop.
  std::map<std::string, Polynomial, std::less<>> known_;
  std::vector<Loop> loops_;
  BodyFacts facts_;
};

}  // namespace

BodyFacts study_body(const CFunction& function, const Tokens& tokens,
                     const std::map<std::string, std::int64_t>& macros) {
  return BodyStudy(function, tokens, macros).run();
}

}  // namespace kw::task
