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

/// One function of a .cu file as C without a word of CUDA, with the functions that it calls: a
/// kernel of which each thread does one element (or every so many) becomes the loop over them; a
/// function of the host stays what it is. `wanted` may be empty where the file has one kernel.
/// Errors, with all that stands in the way and where: shared memory, barriers, atomics, warps,
/// indices of another form.
Result<std::string> plain_function(std::string_view source, std::string_view file,
                                   std::string_view wanted);

}  // namespace kw::import
