// Names the memory of a host program as the plan does: tensors, workspaces, and their slices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "import/matching.h"
#include "import/plan_lines.h"
#include "import/plan_sizes.h"

namespace kw::import {

/// Knows the places of the plan and how many elements they have. It adds to `out` what is missing
/// and what is assumed, and writes no lines.
class PlanPlaces {
 public:
  PlanPlaces(const HostProgram& program, const Matching& matching, const PlanSizes& sizes,
             const TypeNames& types, PlanLines& out)
      : program_(program), matching_(matching), sizes_(sizes), types_(types), out_(out) {}

  /// The C type of the buffer's elements.
  std::string element_type(std::size_t i) const;
  /// The number of elements of the buffer, in the plan's type; nothing if unknown.
  std::optional<Size> count_of(std::size_t i) const;
  /// The plan's name for memory: a tensor, a workspace, or a slice of either. If the name is
  /// unknown, reports that and returns `null`.
  std::string place_of(const Value& value, std::size_t offset);
  /// The plan's name for the range that a memset or memcpy covers, often a whole buffer.
  std::string whole_place(const Value& value, const Step& step);

 private:
  /// The size in bytes of one element of the buffer, in the plan's type.
  int unit_of(std::size_t i) const;
  const Buffer& buffer(std::size_t i) const { return program_.buffers[i]; }

  const HostProgram& program_;
  const Matching& matching_;
  const PlanSizes& sizes_;
  const TypeNames& types_;
  PlanLines& out_;
};

}  // namespace kw::import
