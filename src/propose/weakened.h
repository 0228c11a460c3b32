// Decides whether a repair gives up what the failed kernel tried to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/candidate.h"

namespace kw::propose {

/// Why `child` does not count as a repair of `parent`: it no longer names a technique that the
/// parent named, or its code without comments and blanks is shorter than two thirds of the
/// parent's. Empty: it counts. Pure; O(bytes).
std::string why_weakened(const Candidate& parent, const Candidate& child);

}  // namespace kw::propose
