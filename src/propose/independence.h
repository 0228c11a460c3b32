// Decides from the tokens of a for loop whether each iteration writes to memory of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lex/lexer.h"

namespace kw::propose {

/// The tokens of a loop, without lines of the preprocessor.
struct LoopText {
  std::span<const lex::Token> header;  ///< What stands between the parentheses of `for (…)`.
  std::span<const lex::Token> body;
  std::vector<std::string> sums;  ///< Scalars that a reduction clause will name.
};

/// True where every memory location that the body writes is local to the iteration or differs from
/// iteration to iteration: its index or pointer depends on the loop's variable, but not through a
/// remainder, a quotient or a loaded value (a scatter), and the array is read at other places only
/// if these belong to the same iteration. False where the text leaves a doubt. A called function is
/// assumed to write only where its arguments point, so the results of a parallel loop must still be
/// checked.
bool has_independent_iterations(const LoopText& loop);

}  // namespace kw::propose
