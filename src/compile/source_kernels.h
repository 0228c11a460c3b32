// Finds the kernels that a source defines, so that a plan with an unknown name gets a suggestion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"
#include "record/candidate.h"

namespace kw::compile {

/// Names of the `__global__` functions of a source with their namespaces, in order, each once;
/// names beyond 1,024 bytes are left out. Comments and strings are skipped, and kernels that macros
/// make are not found. Pure; takes linear time.
std::vector<std::string> source_kernels(std::string_view source);

/// A diagnostic that the plan launches a kernel which the unit's source lacks. It suggests the
/// nearest kernel of the source and points to the plan's line. Its `about` is the kernel alone
/// where the source has none, "gem -> gemm" with the nearest, or "k: a, b" with those that there
/// are. `why` is the compiler's message, or empty.
Diagnostic missing_kernel(const std::string& kernel, const BuildUnit& unit, std::string_view why);

}  // namespace kw::compile
