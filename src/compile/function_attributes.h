// Finds functions that were built with their own options, in the compiler's dump.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"

namespace kw::compile {

/// Reads GCC's dump of each function before optimisation (-fdump-tree-gimple). There a function's
/// attributes stand above it in one form, whether the source wrote them as __attribute__ or
/// [[gnu::…]], by a macro, or by a pragma. Gives one mark "arithmetic" for each function whose
/// optimize attribute names an option that is not known to keep values; only the first few
/// functions are marked.
std::vector<CodeMark> arithmetic_marks(std::string_view dump);

/// Whether a GCC option, given without -f, is known to change no value of a program.
bool changes_no_value(std::string_view option);

}  // namespace kw::compile
