// Says what a size of the host program is in the plan's words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "import/matching.h"

namespace kw::import {

/// Replaces the names that the host program gives to sizes by those of the plan. It changes
/// nothing, and what it is given must outlive it.
class PlanSizes {
 public:
  PlanSizes(const HostProgram& program, const Matching& matching, const ForeignSource& source,
            const task::Definition* task)
      : program_(program), matching_(matching), source_(source), task_(task) {}

  /// The size with the plan's names.
  Size final_size(const Size& size) const;
  /// A name for a loop's counter that has no other meaning in the plan language or the task.
  std::string loop_name(const std::string& name) const;

 private:
  bool is_taken(const std::string& name) const;

  const HostProgram& program_;
  const Matching& matching_;
  const ForeignSource& source_;
  const task::Definition* task_;
};

}  // namespace kw::import
