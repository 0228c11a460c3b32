// Whether a change gives up what the kernel before it does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/candidate.h"

namespace kw::propose {

/// Why `child` is no repair of `parent`: it no longer names a technique that the parent named, or
/// its code, without remarks and blanks, is less than two thirds of the parent's. Empty: it may be.
/// Pure; O(bytes).
std::string why_weakened(const Candidate& parent, const Candidate& child);

}  // namespace kw::propose
