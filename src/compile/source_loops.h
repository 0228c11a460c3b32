// The loop statements of a source, by line: what a compiler's remark about a loop is about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::compile {

/// The line of the loop statement that a remark at `line` means, both from 1: the statement whose
/// `for (…)`, `while (…)` or `do` covers that line, or the loop behind a directive on that line
/// (`#pragma omp for`). 0: no loop stands there, as where the compiler made one of plain
/// statements. Pure; linear in the source.
int loop_line(std::string_view source, int line);

}  // namespace kw::compile
