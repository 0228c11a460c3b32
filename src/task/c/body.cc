// Finds out what the body of a C function reads and writes, and which array shapes its index
// expressions imply.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "task/c/bounds.h"
#include "task/c/branches.h"
#include "task/c/elements.h"
#include "task/c/extents.h"
#include "task/c/function.h"
#include "task/c/index.h"
#include "task/c/loops.h"
#include "task/c/polynomial.h"
#include "task/c/work.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

class BodyStudy {
 public:
  BodyStudy(const CFunction& function, const Tokens& tokens,
            const std::map<std::string, std::int64_t>& macros)
      : function_(function), tokens_(tokens), branches_(function, tokens), reader_(tokens) {
    for (const auto& [name, value] : macros) reader_.define(name, {{{}, value}});
    for (const auto& parameter : function.parameters) reader_.forget(parameter.name);
  }

  BodyFacts run() {
    IndexReader with_elements = reader_;
    with_elements.know_elements(integer_arrays(function_));
    find_locals(reader_);
    find_locals(with_elements);
    loops_.emplace(function_, tokens_, reader_);
    bounds_.emplace(function_, tokens_, reader_, *loops_, branches_);
    facts_.loop_depth = loops_->depth();
    facts_.accesses = study_all(reader_, *loops_, *bounds_);
    facts_.elements = element_bounds(function_, tokens_, with_elements, facts_.accesses);
    const Loops loops(function_, tokens_, with_elements, facts_.elements);
    const Bounds bounds(function_, tokens_, with_elements, loops, branches_);
    if (!facts_.elements.empty()) facts_.accesses = study_all(with_elements, loops, bounds);
    facts_.calculated = calculated_scalars(function_, tokens_, facts_);
    const StudiedBody body{function_, tokens_, reader_, *loops_, *bounds_};
    const CountedWork work = count_work({function_, tokens_, with_elements, loops, bounds},
                                        {facts_.elements, facts_.accesses});
    facts_.flops = work.flops;
    facts_.work = work.total;
    facts_.flops_doubt = work.doubt;
    facts_.family = family_of(body);
    const bool is_plain = std::ranges::none_of(
        facts_.accesses, [](const auto& access) { return access.second.is_escaping; });
    if (is_plain) facts_.parts = parallel_parts(body);
    return std::move(facts_);
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  /// Finds locals that are assigned only once, as in `const int idx = i * n + j;`. They are
  /// replaced by their value wherever they are used.
  void find_locals(IndexReader& reader) const {
    std::map<std::string, int> assigned;
    for (std::size_t i = function_.open; i + 1 < function_.close; ++i)
      if (tokens_[i].kind == lex::Token::Kind::Word)
        assigned[std::string(tokens_[i].text)] +=
            (is_assignment(tokens_, i + 1) ? 1 : 0) + (at(i - 1, "++") || at(i - 1, "--") ? 1 : 0);
    for (std::size_t i = function_.open + 1; i + 1 < function_.close; ++i) {
      const auto name = std::string(tokens_[i].text);
      const bool is_declared = tokens_[i - 1].kind == lex::Token::Kind::Word || at(i - 1, ",");
      if (tokens_[i].kind != lex::Token::Kind::Word || !at(i + 1, "=") || !is_declared ||
          assigned[name] != 1 || function_.find(name) != nullptr)
        continue;
      std::size_t end = i + 2;
      while (end < function_.close && !at(end, ";") && !at(end, ",")) ++end;
      if (auto value = reader.whole(i + 2, end)) reader.define(name, std::move(*value));
    }
  }

  // --- accesses ---

  std::map<std::string, Access> study_all(const IndexReader& reader, const Loops& loops,
                                          const Bounds& bounds) const {
    std::map<std::string, Access> accesses;
    for (const auto& parameter : function_.parameters)
      if (parameter.is_pointer)
        accesses[parameter.name] =
            study(parameter, Extents(parameter, tokens_, reader, loops, bounds));
    return accesses;
  }

  Access study(const CParameter& parameter, Extents extents) const {
    Access access;
    bool is_first = true;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i, parameter.name) || at(i - 1, ".") || at(i - 1, "->")) continue;
      IndexedUse use{i, {}, false, false};
      std::size_t end = i + 1;
      while (at(end, "[")) {
        const auto close = lex::find_closing(tokens_, end);
        if (close >= function_.close) break;
        use.indices.emplace_back(end + 1, close);
        end = close + 1;
      }
      // A pointer cannot be multiplied, so a star right before its name dereferences the pointer.
      if (use.indices.empty() && !at(i - 1, "*")) {
        access.is_escaping = true;
        continue;
      }
      note_use(i, end, parameter.name, is_first, access);
      is_first = false;
      use.is_set = at(end, "=");
      use.is_sure = branches_.is_sure(i, parameter.name);
      extents.add_use(use);
    }
    extents.finish(access);
    // Only a plain loop over the whole array is sure to write every element. If the array is also
    // read, a condition may read an element that another iteration would have written.
    access.is_partial =
        access.is_partial || branches_.has_jumps(loops_->counted(), parameter.name) ||
        (access.is_read && branches_.has_any(loops_->counted(), parameter.name, access.is_unclear));
    // A declared array bound takes precedence over a size guessed from index expressions.
    if (!parameter.bounds.empty()) {
      const std::vector<std::string> reached = std::move(access.shape);
      const std::string guessed = reached.empty() ? std::string() : reached.front();
      access.shape.clear();
      for (std::size_t i = 0; i < parameter.bounds.size(); ++i)
        access.shape.push_back(
            i == 0 && parameter.bounds[0].empty() ? guessed : with_macros(parameter.bounds[i]));
      if (access.shape.front().empty()) access.shape.clear();
      access.is_partial = access.is_partial || access.shape != reached;
    }
    return access;
  }

  std::string with_macros(const std::string& bound) const {
    const auto tokens = lex::tokenize(bound);
    std::string text;
    for (const auto& token : tokens) {
      const Polynomial* value =
          token.kind == lex::Token::Kind::Word ? reader_.value_of(token.text) : nullptr;
      if (!text.empty()) text += ' ';
      text += value != nullptr ? to_expression(*value) : std::string(token.text);
    }
    return text;
  }

  void note_use(std::size_t name, std::size_t end, const std::string& parameter, bool is_first,
                Access& access) const {
    const bool is_changed = is_assignment(tokens_, end) || at(name - 1, "++") || at(name - 1, "--");
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

  const CFunction& function_;
  const Tokens& tokens_;
  const Branches branches_;
  IndexReader reader_;
  std::optional<Loops> loops_;    ///< Found once the locals are known.
  std::optional<Bounds> bounds_;  ///< Found once the loops are known.
  BodyFacts facts_;
};

}  // namespace

BodyFacts study_body(const CFunction& function, const Tokens& tokens,
                     const std::map<std::string, std::int64_t>& macros) {
  return BodyStudy(function, tokens, macros).run();
}

}  // namespace kw::task
