// Families of tasks whose kernels are limited and built alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::memory {

/// Whether kernels of one family have something to teach those of the other, in either order. A
/// family is no kin of itself.
bool are_kin(std::string_view family, std::string_view other);

}  // namespace kw::memory
