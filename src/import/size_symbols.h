// The names in a host program that may stand for sizes and scalars of a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "import/matching.h"

namespace kw::import {

/// The names of which the plan's sizes are made, each kind in the order of its first use.
struct SizeSymbols {
  /// Names of constants of main() from which sizes of tensors are computed.
  std::set<std::string> constants;
  std::set<std::string> in_grid;  ///< Names of which grids of launches are made.
  std::vector<std::string> integers;
  std::vector<std::string> reals;
  std::vector<std::string> tensor_sizes;  ///< Internal names such as `x#0`.
  std::vector<Remark> missing;            ///< Constants that have two values.
};

/// Collects the names from the program's steps, and from the sizes of its workspaces.
SizeSymbols find_size_symbols(const HostProgram& program, const ForeignSource& source,
                              const task::Definition* task, const Matching& matched);

/// Adds the name, unless it is there already.
void add_once(std::vector<std::string>& names, const std::string& name);

}  // namespace kw::import
