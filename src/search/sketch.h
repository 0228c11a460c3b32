// A few numbers computed from a source that tell how much two sources have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kw::search {

/// MinHash (Broder, 1997) of the runs of five words in a source, without comments and blanks. All
/// zero: there was no source.
using Sketch = std::array<std::uint32_t, 32>;

/// Computes the sketch in O(bytes). A source of fewer than five words is treated as one run.
Sketch sketch_of(std::string_view source);

/// Share of equal entries: an estimate of the Jaccard similarity of the two sources, 0–1, with a
/// standard deviation of at most 0.09. 0 if either sketch is all zero.
double similarity(const Sketch& a, const Sketch& b);

}  // namespace kw::search
