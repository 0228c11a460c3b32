// What an empty call costs, and when a kernel is too short to be ranked on the raw clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/estimate.h"

namespace kw::measure {

/// Time of an empty call of the same geometry: its median and the interval of that, in ns.
struct EmptyCall {
  double median_ns = 0;
  Interval interval;
};

/// What a workload's time may be ranked on.
enum class Footing {
  Raw,           ///< At least 10 us: the empty call is noise.
  Net,           ///< Shorter: raw less the empty call.
  Unmeasurable,  ///< The empty call is not known well enough against what is left of the raw time.
};

/// The short-kernel rule of design §7 for a leg with median `raw_ns`. Net needs a net time above 0
/// of which the interval of the empty call is at most a tenth.
Footing footing(double raw_ns, const EmptyCall& empty);

/// The pair less `empty_ns` on both legs; nothing where that leaves no time.
std::optional<PairedSample> subtract(const PairedSample& raw, double empty_ns);

/// Speedup on net times: the hull of estimate_speedup at both ends of the empty call's interval,
/// around its value at the median, so that not knowing the overhead widens the interval. Nothing
/// where some pair has no net time. Precondition: a bounded interval.
std::optional<Estimate> estimate_net_speedup(std::span<const PairedSample> raw,
                                             const EmptyCall& empty, double alpha);

}  // namespace kw::measure
