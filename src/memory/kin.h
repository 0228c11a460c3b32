// Families of tasks whose kernels hold a part that kernels of another family need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::memory {

/// Whether kernels of `family` hold the main part of kernels of `other`, so that they are examples
/// for these. The order matters: a matrix product serves attention, but not the reverse. False for
/// a family and itself.
bool serves(std::string_view family, std::string_view other);

}  // namespace kw::memory
