// Under which conditions the current statement of a host function is reached, and what the function
// returns under which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "import/host_file.h"
#include "import/host_program.h"
#include "import/host_record.h"
#include "import/host_variables.h"

namespace kw::import {

/// Where control goes after a statement; Fail: the program ends by an exception, exit() or the
/// like.
enum class Flow { Next, Return, Break, Continue, Fail };

/// Keeps the conditions around the current statement, and adds steps under them to the record.
class HostPaths {
 public:
  HostPaths(const HostFile& file, HostRecord& record, const HostVariables& variables)
      : file_(file), record_(record), variables_(variables) {}

  Value result;  ///< The value that the last function returned.
  /// Pairs of condition and value: what the current function returned under conditions so far.
  std::vector<std::pair<Value, Value>> returned;
  std::vector<Value> conditions;  ///< The undecided conditions around the current statement.
  /// Why it is unknown whether the current function reaches this statement.
  std::optional<Remark> doubt;
  /// How many undecided branches and loops are around the current statement, in all functions.
  int inside = 0;
  int open_branches = 0;  ///< The number of `else` branches that go on to the end of the function.
  /// A `break` or `continue` of the current loop under an undecided condition.
  std::optional<Remark> leap;
  std::vector<Scopes> leaps;  ///< The scopes at each `break` or `continue` of the loop.

  /// The number that decides a branch or a loop; nothing if the value is not a known number. A
  /// named constant of main() gives nothing, since it may be a size of the task.
  std::optional<std::int64_t> decided(const Value& value) const;
  /// Adds a step, if the function is certain to reach it; else reports that it is not.
  void push(Step step);
  /// Adds a condition that the function itself demands, as by an assertion.
  void require(const Value& condition, std::size_t offset);
  /// Puts all later steps, up to the end of the function or branch, under the condition.
  void guard_against(const Size& condition, std::size_t offset);
  /// Adds an `end` step for each open branch above `down_to`: such branches reach to the end of the
  /// function or branch that has just ended.
  void close_branches(int down_to);
  /// The conjunction of `condition` and all undecided conditions around the current statement.
  Value path_with(const Value& condition) const;
  /// Remembers a `break` or `continue` under an undecided condition. It matters only if the loop
  /// launches kernels, which only the code for the loop knows.
  void leap_from(Flow flow, std::size_t offset);
  /// The value that the function returns, merged over all its return statements.
  Value merged_result();

 private:
  const HostFile& file_;
  HostRecord& record_;
  const HostVariables& variables_;
};

}  // namespace kw::import
