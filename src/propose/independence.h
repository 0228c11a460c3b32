// Whether the iterations of a for loop write to places of their own, as far as its text tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

/// The text of a loop, comments, strings and preprocessor lines blanked out.
struct LoopText {
  std::string_view header;  ///< Between the parentheses of `for (…)`.
  std::string_view body;
  std::vector<std::string> sums;  ///< Scalars that a reduction clause will name.
};

/// True where every place that the body writes is private to it or follows the loop's variable
/// one to one: an index or a pointer that depends on the variable, not through a remainder, a
/// quotient or a value that was loaded (a scatter), and read at other places only if they differ
/// inside one iteration. Doubt is false. Whoever uses the answer still has the result checked:
/// what a called function writes is believed to follow its arguments.
bool has_independent_iterations(const LoopText& loop);

}  // namespace kw::propose
