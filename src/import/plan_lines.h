// Writes a host program's steps as lines of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "import/matching.h"

namespace kw::import {

struct PlanLines {
  std::vector<std::string> lines;  ///< The plan's lines without `// kw: `.
  std::vector<Remark> missing;
  std::vector<Remark> assumptions;

  void miss(std::size_t offset, std::string about, std::string text) {
    missing.push_back({offset, std::move(about), std::move(text)});
  }
};

PlanLines write_plan(const HostProgram& program, const Matching& matching,
                     const ForeignSource& source, const std::vector<Item>& items,
                     const task::Definition* task, const TypeNames& types);

/// The name by which a plan launches the kernel. Kernels that are no templates have C linkage.
std::string plan_name(const Item& kernel);

}  // namespace kw::import
