// Calls that write a range of an array at once: memset, memcpy, std::fill and their relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::task {

/// The source with a plain loop in place of each such call in the function `wanted` (if empty, the
/// only one that is not static), so that all who read the function see which elements it writes:
/// `for (long element = 0; element < 256; ++element) h[element] = 0;` for
/// `memset(h, 0, 256 * sizeof(int));`. Calls stay as they are where the number of elements or the
/// value cannot be told, and where the array is no parameter. Lines keep their numbers.
std::string with_plain_writes(std::string source, std::string_view wanted);

}  // namespace kw::task
