// The kernels that a source defines, found in its text, to say what a plan with an unknown name may
// have meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"
#include "record/candidate.h"

namespace kw::compile {

/// Names of the `__global__` functions of a source with their namespaces, in order, each once;
/// names beyond 1,024 bytes are left out. Comments and strings are skipped; kernels that macros
/// make are not found. Pure; linear.
std::vector<std::string> source_kernels(std::string_view source);

/// A diagnostic that the plan launches a kernel which the unit's source lacks, with the nearest
/// kernel that it has, at the place where the plan names it. `why` is the compiler's message, or
/// empty.
Diagnostic missing_kernel(const std::string& kernel, const BuildUnit& unit, std::string_view why);

}  // namespace kw::compile
