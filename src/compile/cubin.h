// Reads what a cubin says of its kernels: parameters, registers, shared and local memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"

namespace kw::compile {

inline constexpr std::size_t kMostKernels = 4096;  ///< Of one cubin; more than anyone needs.

/// Kernels of a cubin in the order of its symbols, `name` equal to `symbol`. Bytes are foreign:
/// every offset is checked, and anything odd is an error that says what. A kernel's parameters are
/// whole and in order, or the cubin is refused: arguments are checked against them. The layout of
/// the attributes is NVIDIA's and undocumented; as in binutils-like readers such as CuAssembler
/// and checked against ptxas's own words in the tests.
Result<std::vector<KernelFacts>> read_cubin(std::string_view bytes);

}  // namespace kw::compile
