// Which parts of a function body run for certain: if and else, and what leaves a loop early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// One past the last token of the statement that starts at `i`, at most `close`; an `else` is a
/// statement of its own.
std::size_t statement_end(const std::vector<CodeToken>& tokens, std::size_t i, std::size_t close);

/// The branches of one function. Borrows both arguments.
class Branches {
 public:
  Branches(const CFunction& function, const std::vector<CodeToken>& tokens);

  /// Whether `name[…] = …` at this token is executed on every path: the write is under no
  /// condition, or the other branch writes the name too.
  bool is_sure(std::size_t token, std::string_view name) const;
  /// Whether the body decides anything: by `if`, `?`, or what has_jumps() sees.
  bool has_any(const std::set<std::size_t>& counted) const;
  /// Whether something may leave or skip a part of the body: `continue`, `break`, `return`, `goto`,
  /// `switch`, `do`, and each `while` but those at the tokens `counted`, which are plain loops.
  bool has_jumps(const std::set<std::size_t>& counted) const;

 private:
  struct Branch {
    std::size_t begin = 0;
    std::size_t then = 0;
    std::size_t then_end = 0;
    /// One past the last token of the `else`; equal to `then_end` where there is no `else`.
    std::size_t end = 0;
  };

  bool writes(std::size_t from, std::size_t to, std::string_view name) const;

  const CFunction& function_;
  const std::vector<CodeToken>& tokens_;
  std::vector<Branch> branches_;
};

}  // namespace kw::task
