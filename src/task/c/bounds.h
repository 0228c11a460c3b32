// The least and the largest value of an index where a token stands, by loops and conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "task/c/branches.h"
#include "task/c/function.h"
#include "task/c/index.h"
#include "task/c/loops.h"

namespace kw::task {

/// A bound of an index, over the parameters of the function.
struct Limit {
  Polynomial value;
  /// False where a condition around the token may keep the index further from the bound.
  bool is_reached = true;
};

/// Reads `if`, `else`, `?:`, `&&` and conditions that jump away. Conditions that cannot be read are
/// taken to hold nothing off, so that a bound is never too narrow. Borrows all arguments.
class Bounds {
 public:
  Bounds(const CFunction& function, const std::vector<lex::Token>& tokens,
         const IndexReader& reader, const Loops& loops, const Branches& branches);

  /// Bounds of `index` at the token; nothing where the index holds names that are neither
  /// parameters nor variables of loops. Without `heeds_conditions` the loops alone bound it.
  std::optional<Limit> least(const Polynomial& index, std::size_t token,
                             bool heeds_conditions = true) const;
  std::optional<Limit> most(const Polynomial& index, std::size_t token,
                            bool heeds_conditions = true) const;

  /// The least value of a loop's variable at the token and the first value above all, over
  /// parameters and variables of loops further out.
  std::pair<Polynomial, Polynomial> range(const CountingLoop& loop, std::size_t token) const;
  /// Whether the condition that holds from this token on is read in full.
  bool is_understood(std::size_t from) const;

 private:
  /// A condition that holds from token `from` to below `to`.
  struct Guard {
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<Polynomial> constraints;  ///< Each is at least 0.
    bool is_understood = false;           ///< The constraints say all that the condition says.
  };

  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  void find_expressions();
  std::size_t operand_begin(std::size_t i, bool is_and) const;
  std::size_t operand_end(std::size_t i, bool is_and) const;
  std::size_t block_end(std::size_t i) const;
  void add_rest(const Branch& branch, const Branches& branches, std::size_t to);
  void add_guard(std::size_t begin, std::size_t end, bool is_negated, std::size_t from,
                 std::size_t to);
  bool read(std::size_t begin, std::size_t end, bool is_negated, std::size_t place,
            std::vector<Polynomial>& constraints, int depth) const;
  bool compare(std::size_t begin, std::size_t op, std::size_t end, bool is_negated,
               std::size_t place, std::vector<Polynomial>& constraints) const;
  bool unequal(const Polynomial& difference, std::size_t place,
               std::vector<Polynomial>& constraints) const;
  std::optional<Limit> extreme(const Polynomial& index, std::size_t token, bool is_most,
                               bool heeds_conditions) const;
  /// Moves the limit of `index` to what conditions around the token say; with `may_vary` also to
  /// variables of loops further out.
  void tighten(const Polynomial& index, std::size_t token, bool is_most, bool may_vary,
               Limit& limit) const;
  const CountingLoop* innermost_in(const Polynomial& index, std::size_t token) const;

  const CFunction& function_;
  const std::vector<lex::Token>& tokens_;
  const IndexReader& reader_;
  const Loops& loops_;
  std::vector<Guard> guards_;
};

}  // namespace kw::task
