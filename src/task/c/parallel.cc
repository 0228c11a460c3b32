// Compares how all uses of a written array follow a loop's variable.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/parallel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "task/c/assignment.h"
#include "task/c/nest.h"
#include "task/c/polynomial.h"
#include "task/c/work.h"

namespace kw::task {
namespace {

class ParallelFinder {
 public:
  explicit ParallelFinder(const StudiedBody& body) : body_(body) {}

  std::vector<ParallelPart> run() {
    if (!add_parts(nest_of(body_.tokens, body_.function), {})) return {};
    return std::move(parts_);
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < body_.tokens.size() && body_.tokens[i].is(text);
  }

  bool add_parts(const std::vector<NestItem>& items, const std::vector<BoundedLoop>& around) {
    return std::ranges::all_of(items, [&](const NestItem& item) {
      if (item.kind == NestItem::Kind::Plain) return around.empty() && is_bare_declaration(item);
      return item.kind == NestItem::Kind::Loop && add_nest(item, around);
    });
  }

  bool is_bare_declaration(const NestItem& item) const {
    for (std::size_t i = item.begin; i < item.end; ++i)
      if (body_.tokens[i].kind != lex::Token::Kind::Word && !at(i, ",")) return false;
    return true;
  }

  bool add_nest(const NestItem& item, const std::vector<BoundedLoop>& around) {
    ParallelPart part;
    part.around = around;
    std::vector<std::string> chosen;
    const NestItem* inner = &item;
    while (true) {
      const CountingLoop* loop = loop_at(*inner);
      const auto bounded = loop != nullptr ? bounds_of(*loop, part.loops) : std::nullopt;
      if (!bounded || !is_independent(*inner, *loop, chosen)) break;
      chosen.push_back(loop->variable);
      part.loops.push_back(*bounded);
      part.begin = inner->head_end + 1;
      part.end = inner->end;
      if (inner->inside.size() != 1 || inner->inside.front().kind != NestItem::Kind::Loop) break;
      inner = &inner->inside.front();
    }
    if (!part.loops.empty()) {
      parts_.push_back(std::move(part));
      return true;
    }
    const CountingLoop* loop = loop_at(item);
    const auto bounded =
        loop != nullptr && loop->step == 1 && !is_down(item) ? bounds_of(*loop, {}) : std::nullopt;
    if (!bounded || item.inside.empty()) return false;
    std::vector<BoundedLoop> longer = around;
    longer.push_back(*bounded);
    return add_parts(item.inside, longer);
  }

  /// A loop that counts down runs its turns in the other order.
  bool is_down(const NestItem& item) const {
    for (std::size_t i = item.head; i < item.head_end; ++i)
      if (at(i, "--") || at(i, "-=")) return true;
    return false;
  }

  const CountingLoop* loop_at(const NestItem& item) const {
    const auto found = std::ranges::find(body_.loops.all(), item.begin, &CountingLoop::begin);
    const bool is_for = at(item.begin, "for");
    return found == body_.loops.all().end() || !is_for || found->step < 1 ? nullptr : &*found;
  }

  /// Nothing where the bounds vary with one of the loops `beside`.
  static std::optional<BoundedLoop> bounds_of(const CountingLoop& loop,
                                              const std::vector<BoundedLoop>& beside) {
    const auto count = add(loop.bound, loop.first, -1);
    if (!count) return std::nullopt;
    for (const Polynomial* bound : {&loop.first, &loop.bound})
      for (const auto& [monomial, factor] : *bound)
        for (const BoundedLoop& other : beside)
          if (contains(monomial, other.variable)) return std::nullopt;
    return BoundedLoop{loop.variable,
                       to_expression(loop.first),
                       to_expression(loop.bound),
                       to_expression(*count),
                       loop.step,
                       loop.begin,
                       is_at_most({{{}, 1}}, *count)};
  }

  // --- independence ---

  bool is_independent(const NestItem& item, const CountingLoop& loop,
                      const std::vector<std::string>& chosen) const {
    std::vector<std::string> written;
    if (!collect_written(item.inside, item.begin, written)) return false;
    return std::ranges::all_of(
        written, [&](const std::string& array) { return follows(array, item, loop, chosen); });
  }

  /// The arrays that statements write; false where one writes something that the loop shares.
  bool collect_written(const std::vector<NestItem>& items, std::size_t begin,
                       std::vector<std::string>& written) const {
    for (const NestItem& item : items) {
      if (item.kind == NestItem::Kind::Jump || !collect_written(item.inside, begin, written))
        return false;
      if (item.kind != NestItem::Kind::Plain) continue;
      const auto assigned = read_assignment(body_.tokens, item.begin, item.end);
      if (!assigned || assigned->is_pointer) return false;
      const CParameter* parameter = body_.function.find(assigned->target);
      if (parameter != nullptr) {
        if (!parameter->is_pointer || assigned->name + 1 == assigned->op) return false;
        if (!contains(written, assigned->target)) written.push_back(assigned->target);
      } else if (!is_declared_inside(assigned->target, begin, assigned->name)) {
        return false;
      }
    }
    return true;
  }

  /// Whether the name is declared between the loop's head and its use.
  bool is_declared_inside(const std::string& name, std::size_t begin, std::size_t use) const {
    for (std::size_t i = begin; i <= use; ++i)
      if (at(i, name) && i > 0 && body_.tokens[i - 1].kind == lex::Token::Kind::Word &&
          !at(i - 1, "return") && !at(i - 1, "else"))
        return true;
    return false;
  }

  /// Whether every use of the array in the nest has the loop's variable in the same place, alone in
  /// its dimension, so that two turns never meet.
  bool follows(const std::string& array, const NestItem& item, const CountingLoop& loop,
               const std::vector<std::string>& chosen) const {
    std::optional<std::vector<Polynomial>> place;
    for (std::size_t i = item.begin; i < item.end; ++i) {
      if (!at(i, array) || at(i - 1, ".")) continue;
      std::vector<Polynomial> indices;
      for (std::size_t open = i + 1; at(open, "[");) {
        const std::size_t close = lex::find_closing(body_.tokens, open);
        const auto index = body_.reader.whole(open + 1, close);
        if (!index) return false;
        indices.push_back(*index);
        open = close + 1;
      }
      auto own = indices.size() == 1 ? place_in_row(indices.front(), i, loop, chosen)
                                     : place_in_dimensions(indices, loop);
      if (!own || (place && *place != *own)) return false;
      place = std::move(own);
    }
    return place.has_value();
  }

  /// The dimension whose index is the variable alone.
  static std::optional<std::vector<Polynomial>> place_in_dimensions(
      const std::vector<Polynomial>& indices, const CountingLoop& loop) {
    const auto found = std::ranges::find(indices, Polynomial{{{loop.variable}, 1}});
    if (found == indices.end()) return std::nullopt;
    return std::vector<Polynomial>{{{{}, found - indices.begin()}}};
  }

  /// The stride of the variable in a flat index, where all that moves along smaller strides stays
  /// within one of them.
  std::optional<std::vector<Polynomial>> place_in_row(
      const Polynomial& index, std::size_t token, const CountingLoop& loop,
      const std::vector<std::string>& chosen) const {
    Polynomial rest, stride;
    for (const auto& [monomial, factor] : index) {
      const bool is_outer = std::ranges::any_of(
          chosen, [&](const std::string& name) { return contains(monomial, name); });
      if (is_outer) continue;
      if (!contains(monomial, loop.variable)) {
        rest[monomial] = factor;
        continue;
      }
      Monomial others = monomial;
      std::erase(others, loop.variable);
      if (!stride.empty() || others.size() + 1 != monomial.size() || factor < 1)
        return std::nullopt;
      stride = {{others, factor}};
    }
    const auto least = body_.bounds.least(rest, token, false);
    const auto most = body_.bounds.most(rest, token, false);
    const auto end = most ? add(most->value, {{{}, 1}}, 1) : std::nullopt;
    if (stride.empty() || !least || !end || !is_never_negative(least->value) ||
        !is_at_most(*end, stride))
      return std::nullopt;
    return std::vector<Polynomial>{stride};
  }

  const StudiedBody& body_;
  std::vector<ParallelPart> parts_;
};

}  // namespace

std::vector<ParallelPart> parallel_parts(const StudiedBody& body) {
  return ParallelFinder(body).run();
}

}  // namespace kw::task
