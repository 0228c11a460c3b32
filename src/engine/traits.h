// What strategies are told of a source besides its speed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/attempt.h"
#include "search/types.h"

namespace kw::engine {

/// Traits of a source and of what was measured of it: shares of ceilings come from the roofline of
/// the timed workloads; shares of registers, shared memory and occupancy from counters, if there
/// are any. Only a source that was just written has a sketch. O(bytes of the source).
search::Traits traits_of(const Attempt& attempt, bool is_written);

}  // namespace kw::engine
