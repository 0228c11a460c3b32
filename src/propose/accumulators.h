// Moves sums that a loop keeps in memory into local variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::propose {

/// Rewrites `X[i] op= …` or `X[i] = X[i] + …` in innermost loops that do not change i: the element
/// is read into a local variable before the loop and stored after it, so that the loop has a scalar
/// sum that threads and vectors can share. Returns the source unchanged where no loop has such a
/// sum. X must not occur elsewhere in the loop. That no other pointer refers to the same element is
/// assumed, because the results of the rewritten code are checked.
std::string with_accumulators(std::string_view source);

}  // namespace kw::propose
