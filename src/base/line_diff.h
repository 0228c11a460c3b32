// The lines in which two sources differ, as a model or a person reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kw {

/// Lines marked '-' and '+', with two lines around each change and "…" between changes; empty where
/// the texts are equal. Beyond `most` lines the result is cut and says so. Texts whose differing
/// parts exceed 1,500 lines are reported as rewritten. O(n m) in the differing parts.
std::string line_diff(std::string_view before, std::string_view after, std::size_t most = 60);

}  // namespace kw
