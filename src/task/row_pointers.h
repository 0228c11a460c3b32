// Local pointers into arrays, such as `float* y = out + r * cols;`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::task {

/// The source with elements of the array itself in place of those of local pointers into it, in the
/// function `wanted` (if empty, the only one that is not static): `out[r * cols + c]` for `y[c]`
/// after `float* y = &out[r * cols];`. Pointers that move stay as they are, and so do those whose
/// offset changes while they are used. Lines keep their numbers. Cost: linear in the source for
/// each pointer that is declared by another.
std::string without_row_pointers(std::string source, std::string_view wanted);

}  // namespace kw::task
