// contains(): whether a range holds a value, as std::ranges::contains, which GCC 12 does not have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ranges>

namespace kw {

bool contains(auto&& range, const auto& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

}  // namespace kw
