// Encodes a resolved launch plan with its buffers as the bytes that a player decodes.
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

/// Where the operands of a plan are among a player's buffers, and the symbols of its kernels.
struct PlanOperands {
  std::vector<int> tensors = {};     ///< For each tensor: index of its buffer.
  std::vector<int> workspaces = {};  ///< For each workspace: index of its buffer.
  /// The symbol of a kernel by its name in the plan; empty if there is none.
  std::function<std::string(std::string_view)> symbol = {};
};

/// Encodes a plan. An error says in words what cannot be encoded: a kernel that the object lacks, a
/// number out of range, an unknown word.
Result<std::vector<std::byte>> encode_plan(const Plan& plan, const PlanOperands& operands);

}  // namespace kw::device
