// The long series of calls in one process that checks a win on a CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Checks a win on a CPU by some hundred calls in one process, at a workload drawn at random; a
/// confirmation is checked so at every workload. Does nothing without a win. Takes seconds.
Ended live_long(TimingSite& site, bool is_faster);

}  // namespace kw::referee
