// The order of a launch plan's steps: its branches, and what each step waits for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/plan.h"
#include "task/plan_ast.h"
#include "task/plan_scope.h"

namespace kw::task {

/// Takes the steps of a plan and the lines that fork and join its branches, in the order in which
/// they run.
class PlanOrder {
 public:
  /// A sequence of steps that run one after the other, and what its next step must wait for.
  struct Branch {
    int id = 0;
    int last = -1;  ///< The latest step of the branch.
    /// Steps of other branches for which the next step of this branch must wait.
    std::set<int> pending;
    std::size_t at = 0;  ///< Byte of the source at which the branch was forked.

    std::set<int> tails() const;
  };
  using Forks = std::map<std::string, Branch>;  ///< By the name of the branch.

  /// Begins a block, in which forks are local. The result are the forks of the block around it,
  /// which end_block() wants back.
  Forks begin_block();
  /// An error if a branch that was forked in the block is not joined.
  Planned<> end_block(Forks outer);

  /// Begins the branch of a fork; the result is the branch before it, which end_fork() wants back.
  Planned<Branch> begin_fork(const ForkNode& node, std::size_t at);
  void end_fork(const ForkNode& node, std::size_t at, Branch parent);
  Planned<> join(const JoinNode& node, std::size_t at);

  /// Adds a step to the current branch; `at` is the byte of the source at which it is written.
  Planned<> add(PlanStep step, std::size_t at);
  std::vector<PlanStep> take_steps() { return std::move(steps_); }

 private:
  std::vector<PlanStep> steps_;
  Branch branch_;
  Forks open_;                 ///< Forks of the current block that are not joined yet.
  std::set<int> taken_ = {0};  ///< The numbers of all open branches.
};

}  // namespace kw::task
