// Times of a GPU's kernels beside the pairs: host launchers by their functions, and calls back to
// back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Below this, the time of a call on a GPU is mostly that of the launch; the verdict then is
/// (measure, unmeasurable). Calls on a GPU are not batched: launches overlap in a batch, and each
/// call must have its own stamps.
std::optional<Verdict> too_short(TimedWorkload& at, double shortest_ns);

/// Times host launchers by their functions as well as by the captured graphs; nothing depends on
/// the figures. Does nothing in a search.
Result<> time_by_stream(const TimingSite& site, TimedWorkload& at);

/// Times candidate and opponent back to back if the request wants it, or confirms a matrix product.
/// Must be the last step at a workload, because its legs cannot be used afterwards.
Ended sustain(TimingSite& site, TimedWorkload& at);

}  // namespace kw::referee
