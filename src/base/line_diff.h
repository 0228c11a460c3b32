// The lines in which two sources differ, as shown to a model or a person.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw {

/// One line of the comparison of two texts.
struct DiffLine {
  enum class Kind { Same, Removed, Added, Gap };  ///< Gap: omitted common lines.
  Kind kind = Kind::Same;
  std::size_t before = 0;  ///< Index in the first text; set for Same and Removed.
  std::size_t after = 0;   ///< Index in the second text; set for Same and Added.
};

struct TextDiff {
  std::vector<DiffLine> lines;  ///< Every change with two lines around it; empty: equal texts.
  bool is_rewritten = false;    ///< The differing parts exceed 1,500 lines; `lines` is empty.
};

/// Compares two texts line by line. O(n m) in the differing parts.
TextDiff compare_texts(std::string_view before, std::string_view after);

/// Lines marked '-' and '+', with two lines around each change and "…" between changes; empty where
/// the texts are equal. Beyond `most` lines the result is cut and says so. Texts whose differing
/// parts exceed 1,500 lines are reported as rewritten. The cost is that of compare_texts().
std::string line_diff(std::string_view before, std::string_view after, std::size_t most = 60);

}  // namespace kw
