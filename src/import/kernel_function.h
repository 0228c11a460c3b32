// Rewrites a kernel whose threads work independently as a plain C function, from which a task's
// reference is drafted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kw::import {

/// Whether the source defines CUDA kernels, so that it is not plain C.
bool has_kernels(std::string_view source);

/// Rewrites one function of a .cu file, with the functions that it calls, as C without any CUDA. A
/// kernel in which each thread computes one element (or elements at a fixed stride) becomes a loop
/// over the elements; a host function stays as it is. `wanted` names the function and may be empty
/// if the file has one kernel. Errors list everything that prevents the conversion, with places:
/// shared memory, barriers, atomics, warp functions, indices of another form.
Result<std::string> plain_function(std::string_view source, std::string_view file,
                                   std::string_view wanted);

}  // namespace kw::import
