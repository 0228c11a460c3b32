// The kernels that a source defines, by its text: what a plan that names another may have meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"
#include "record/candidate.h"

namespace kw::compile {

/// Names of the `__global__` functions of a source with their namespaces, in order, each once;
/// names beyond 1,024 bytes are left out. Comments and strings hide what they hold; what macros
/// make is not seen. Pure; linear.
std::vector<std::string> source_kernels(std::string_view source);

/// That the plan launches a kernel which the unit's source does not hold, with the nearest that it
/// does, at the place where the plan names it. `why` is a compiler's word, or empty.
Diagnostic missing_kernel(const std::string& kernel, const BuildUnit& unit, std::string_view why);

}  // namespace kw::compile
