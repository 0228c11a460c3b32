// What strategies are told of a source beside its speed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/attempt.h"
#include "search/types.h"

namespace kw::engine {

/// Of a source with what was measured of it: shares of ceilings from the roofline of the timed
/// workloads, of registers, shared memory and occupancy from counters where there are any. Only
/// what was just written has a sketch. O(bytes of the source).
search::Traits traits_of(const Attempt& attempt, bool is_written);

}  // namespace kw::engine
