// Finds the loop statement of a source that a compiler's remark is about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::compile {

/// Line, counted from 1, of the loop statement that a remark at `line` is about: the statement
/// whose `for (…)`, `while (…)` or `do` covers that line, or the loop after a directive on that
/// line (`#pragma omp for`). 0 if there is no such loop: compilers also make loops from other
/// statements. Pure; takes linear time.
int loop_line(std::string_view source, int line);

}  // namespace kw::compile
