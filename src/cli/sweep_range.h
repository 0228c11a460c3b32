// The dimensions of a sweep: one that takes a range of values, others that are fixed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "session/sweep.h"

namespace kw::cli {

/// The most points of one sweep; each point takes about a second.
inline constexpr std::size_t kMaxSweepPoints = 256;

/// Parses --dim values: "n=64..512" doubles, "n=64..512:64" adds, "n=64..512*4" (or ":*4")
/// multiplies; the upper end is included if a step reaches it. "k=256" fixes a dimension. Exactly
/// one dimension must have a range.
Result<session::SweepRange> parse_sweep(const std::vector<std::string>& dims);

}  // namespace kw::cli
