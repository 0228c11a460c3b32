// Sums that a loop keeps in memory, kept in a variable instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::propose {

/// The text with `X[i] op= …` (or `X[i] = X[i] + …`) of an innermost loop that leaves i alone
/// rewritten to a local accumulator, read before the loop and stored behind it; as it was where no
/// loop has that form. Then the loop has a scalar sum, which threads and vectors can share. X must
/// occur in the loop at that place alone; that no other name points there is believed, since
/// whoever uses the text has its results checked.
std::string with_accumulators(std::string_view source);

}  // namespace kw::propose
