// Rewrites a kernel whose threads work independently as a plain C function, from which a task's
// reference is drafted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kw::import {

/// Whether the file defines kernels, and so is no plain C.
bool has_kernels(std::string_view source);

/// One function of a .cu file as C without any CUDA, with the functions that it calls. A kernel in
/// which each thread computes one element (or every so many) becomes the loop over the elements; a
/// host function stays as it is. `wanted` may be empty where the file has one kernel. Errors list
/// everything that prevents the conversion, with places: shared memory, barriers, atomics, warp
/// functions, indices of another form.
Result<std::string> plain_function(std::string_view source, std::string_view file,
                                   std::string_view wanted);

}  // namespace kw::import
