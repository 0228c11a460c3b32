// Findings about wrong values: their pattern, and the first wrong numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "record/verdict.h"
#include "referee/bench.h"

namespace kw::referee {

/// Reads the region back and describes what is wrong with it. Slow (copies to host memory), so for
/// failures only. `failure` is what the gates say. Regions of more than 2^25 elements get only the
/// table of numbers that the comparison made.
Result<std::vector<Finding>> explain_mismatch(Bench& bench, int slot, int set, std::size_t tensor,
                                              std::size_t region,
                                              const device::Allowance& allowance,
                                              const device::Comparison& seen, Evidence failure);

}  // namespace kw::referee
