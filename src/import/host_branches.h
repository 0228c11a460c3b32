// Interprets the branches of a host function, and merges the values that variables have after them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "import/host_paths.h"
#include "import/host_program.h"
#include "import/host_variables.h"

namespace kw::import {

struct HostParts;

/// Interprets `if`: where the condition is decided, one branch; else both, with their steps under
/// the condition and the variables of both merged.
class BranchReader {
 public:
  explicit BranchReader(HostParts& all) : all_(all) {}

  /// Interprets the `if` at token `i`, and moves `i` behind it and its `else`.
  Flow read(std::size_t& i, std::size_t end);

 private:
  struct Part {  ///< A statement among the tokens, perhaps none.
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Branch {
    Value condition;
    std::size_t offset = 0;  ///< Byte of the text at which the `if` stands.
    Part yes, no;
  };
  Flow branch_on(const Branch& branch);
  Flow branch_on_unknown(const Branch& branch);
  Flow leave_loop(const Branch& branch, Flow leap, const Scopes& before, std::size_t begin);
  Flow demand_opposite(const Branch& branch);
  Flow go_on_as_else(const Branch& branch, bool works);
  void read_else(const Branch& branch, const Scopes& after_yes, std::size_t begin,
                 std::size_t returned);
  Flow run(Part part);
  Flow run_under(const Value& condition, Part part);
  void mark(Step::Kind kind, const Branch& branch);

  HostParts& all_;
};

}  // namespace kw::import
