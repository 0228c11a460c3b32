// The counting loops of a function body, with the values that their variables take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"
#include "task/c/index.h"

namespace kw::task {

struct CountingLoop {
  std::string variable;
  Polynomial first;       ///< Least value of the variable.
  Polynomial bound;       ///< First value above all that the variable takes.
  std::int64_t step = 1;  ///< Distance between two values; 0: it varies or is no number.
  /// Index of the loop's first token. The range up to `end` includes the loop's body.
  std::size_t begin = 0;
  std::size_t end = 0;

  /// Whether the variable takes every value from 0 on.
  bool covers_from_zero() const { return first.empty() && step == 1; }
};

/// Loops in text order. Borrows `tokens`; names of loop variables are forgotten by the reader.
/// Elements with bounds (see IndexReader::know_elements) count as variables of loops around the
/// whole body, but only where of() is asked for them.
class Loops {
 public:
  Loops(const CFunction& function, const std::vector<lex::Token>& tokens, IndexReader& reader,
        const ElementBounds& elements = {});

  const std::vector<CountingLoop>& all() const { return loops_; }
  /// Loops of which a part of the condition counts, as `k < n` does in `while (x > 4 && k < n)`.
  /// `first` and `bound` enclose the values of the variable; the loop may end before.
  const std::vector<CountingLoop>& limited() const { return limited_; }
  /// The innermost loop around the token that moves the variable; null where there is none.
  const CountingLoop* of(std::string_view variable, std::size_t token) const;
  /// Tokens of each `while` that is a plain loop.
  const std::set<std::size_t>& counted() const { return counted_; }
  /// How deep loops are nested.
  int depth() const;

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  std::optional<CountingLoop> read_for(std::size_t begin, std::size_t close) const;
  std::optional<CountingLoop> read_while(std::size_t begin, std::size_t close) const;
  std::optional<CountingLoop> read_limited(std::size_t begin, std::size_t close) const;
  std::optional<Polynomial> value_before(std::string_view variable, std::size_t token) const;
  int steps_up(std::string_view variable, std::size_t begin, std::size_t end) const;
  std::optional<std::int64_t> step_of(std::size_t begin, std::size_t end,
                                      std::string_view variable) const;
  bool is_moved(std::string_view variable, std::size_t begin, std::size_t end) const;

  const CFunction& function_;
  const std::vector<lex::Token>& tokens_;
  const IndexReader& reader_;
  std::vector<CountingLoop> loops_;
  std::vector<CountingLoop> limited_;
  std::vector<CountingLoop> elements_;
  std::set<std::size_t> counted_;
};

/// Whether the token assigns: `=`, `+=`, `++` and their relatives.
bool is_assignment(const std::vector<lex::Token>& tokens, std::size_t i);

}  // namespace kw::task
