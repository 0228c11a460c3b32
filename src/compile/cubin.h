// Reads the facts that a cubin holds about its kernels: parameters, registers, shared and local
// memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"

namespace kw::compile {

/// Most kernels that a cubin may have; real ones have far fewer.
inline constexpr std::size_t kMostKernels = 4096;

/// Kernels of a cubin in the order of its symbols, with `name` equal to `symbol`. The bytes are not
/// trusted: every offset is checked, and an error says what is irregular. A cubin is refused unless
/// each kernel's parameters are complete and in order, since the arguments of launches are checked
/// against them. NVIDIA does not document the layout of the attributes; readers such as CuAssembler
/// show it, and the tests check it against the output of ptxas.
Result<std::vector<KernelFacts>> read_cubin(std::string_view bytes);

}  // namespace kw::compile
