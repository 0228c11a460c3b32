// Families of tasks whose kernels have similar bottlenecks and designs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace kw::memory {

/// Whether kernels of one family are useful examples for the other; the order does not matter.
/// False for a family and itself.
bool are_kin(std::string_view family, std::string_view other);

/// How near two families are that are kin, the nearest of a family's kin having the lowest number;
/// nothing for others.
std::optional<int> kinship(std::string_view family, std::string_view other);

}  // namespace kw::memory
