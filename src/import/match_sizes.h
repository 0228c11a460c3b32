// Matches integers of a host program to dims and scalars of a task; used by matching.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/matching.h"

namespace kw::import {

struct MatchedSizes {
  std::map<std::string, Size> sizes;
  std::vector<Remark> missing;
  std::vector<Remark> assumptions;
  std::string wanted;
};

MatchedSizes match_sizes(const HostProgram& program, const ForeignSource& source,
                         const std::vector<Item>& items, const task::Definition* task,
                         const Matching& matched);

}  // namespace kw::import
