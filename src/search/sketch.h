// Sketch: a few numbers of a source that tell how much of it another one shares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kw::search {

/// MinHash (Broder, 1997) of the runs of five words of a source; remarks and blanks do not count.
/// All zero: there was no source.
using Sketch = std::array<std::uint32_t, 32>;

/// O(bytes). A source of less than five words has the sketch of its words.
Sketch sketch_of(std::string_view source);

/// Share of equal places: an estimate of the Jaccard similarity of both, 0–1, with a deviation of
/// at most 0.09. 0 where one is all zero.
double similarity(const Sketch& a, const Sketch& b);

}  // namespace kw::search
