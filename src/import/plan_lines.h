// Writes a host program's steps as lines of a launch plan; used by plan_draft.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/matching.h"

namespace kw::import {

struct PlanLines {
  std::vector<std::string> lines;  ///< The plan's lines without `// kw: `.
  std::vector<Remark> missing;
  std::vector<Remark> assumptions;
};

PlanLines write_plan(const HostProgram& program, const Matching& matching,
                     const ForeignSource& source, const std::vector<Item>& items,
                     const task::Definition* task, const TypeNames& types);

/// The name by which a plan launches the kernel. Kernels that are no templates have C linkage.
std::string plan_name(const Item& kernel);

}  // namespace kw::import
