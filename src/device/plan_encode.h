// A resolved launch plan and its buffers as the bytes that a player decodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/plan.h"

namespace kw::device {

/// Where the operands of a plan lie among a player's buffers, and what its kernels are called.
struct PlanOperands {
  std::vector<int> tensors = {};     ///< Index of the buffer of each tensor.
  std::vector<int> workspaces = {};  ///< Likewise.
  /// The symbol of a kernel as the plan names it; empty if there is none.
  std::function<std::string(std::string_view)> symbol = {};
};

/// An error says in words what of the plan cannot be: a kernel that the object lacks, a number out
/// of range, a word that names nothing.
Result<std::vector<std::byte>> encode_plan(const Plan& plan, const PlanOperands& operands);

}  // namespace kw::device
