// Finds which parts of a C function's body are always executed: looks at if and else, and at jumps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// One past the last token of the statement that starts at `i`, at most `close`. An `else` counts
/// as a statement of its own.
std::size_t statement_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close);

/// One past the last token of the statement that starts at `i` with all that belongs to it: the
/// body of a loop or of an `if`, and each `else`; at most `close`.
std::size_t nest_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close);

/// Whether the statement that starts at `i` always ends in `continue`, `break` or `return`,
/// whatever it does before, so that what follows it is not executed after it.
bool leaves(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close);

/// An `if` with its `else`, as ranges of tokens.
struct Branch {
  std::size_t begin = 0;  ///< The keyword; the condition's parenthesis follows.
  std::size_t then = 0;
  std::size_t then_end = 0;
  /// One past the last token of the `else`; equal to `then_end` where there is no `else`.
  std::size_t end = 0;
};

/// The conditional parts of one C function. Borrows both constructor arguments.
class Branches {
 public:
  Branches(const CFunction& function, const std::vector<lex::Token>& tokens);

  const std::vector<Branch>& all() const { return branches_; }
  /// Whether the assignment `name[…] = …` at this token is executed on every path: no condition
  /// applies to it, or both branches of the condition assign to `name`.
  bool is_sure(std::size_t token, std::string_view name) const;
  /// Whether the function's body contains an `if` or a statement with `?` that decides about uses
  /// of the array `name`, or a jump that has_jumps() finds. With `is_any` conditions count wherever
  /// they stand, because they may decide which elements are used.
  bool has_any(const std::set<std::size_t>& counted, std::string_view name, bool is_any) const;
  /// Whether the function's body contains a statement that may leave or skip a part: `continue`,
  /// `break`, `return`, `goto`, `switch`, `do`, or a `while` other than the counting loops at the
  /// tokens `counted`. Loops without the array `name` may be left or run at will.
  bool has_jumps(const std::set<std::size_t>& counted, std::string_view name) const;

 private:
  bool writes(std::size_t from, std::size_t to, std::string_view name) const;

  const CFunction& function_;
  const std::vector<lex::Token>& tokens_;
  std::vector<Branch> branches_;
};

}  // namespace kw::task
