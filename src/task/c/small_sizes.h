// Finds sizes that are small beside others: of windows that slide over an array, of their steps,
// and places in an array.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// Integer parameters by how the code uses them as sizes.
struct SmallSizes {
  /// Those that are subtracted from another size, as `k` is in `n - k + 1`, and never the other way
  /// round, with that size: a window of a filter, a pattern, the radius of a stencil.
  std::map<std::string, std::string> windows;
  /// Those by which sizes are divided and loop variables multiplied, as `stride` is in
  /// `i < (n - k) / stride + 1` and `x[i * stride + j]`.
  std::set<std::string> strides;
  /// Those that are an index of their own, as `source` is in `distance[source] = 0`, and no end of
  /// a loop.
  std::set<std::string> places;
};

/// Reads the body's tokens; O(their number).
SmallSizes small_sizes(const CFunction& function, const std::vector<lex::Token>& tokens);

}  // namespace kw::task
