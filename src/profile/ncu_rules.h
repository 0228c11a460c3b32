// Rules that turn the counters of one call's launches into ranked findings. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/ncu.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw::profile {

/// Bytes, operations and time of one launch, for a roofline at every level of memory; 0: unknown.
struct HierarchicalRoofline {
  double time_ns = 0;
  double flops = 0;  ///< Of f32 in the plain units alone; matrix units are not counted.
  double l1_bytes = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
};
HierarchicalRoofline hierarchical_roofline(const KernelProfile& counters);

/// Findings of kind "resource" about the launches of one call, most important first. Thresholds:
/// Nsight Compute's own speed-of-light rule (above 0.8 of a unit's peak it binds, below 0.6 of both
/// latency does); a warp's 32 lanes should use the 32 bytes of a sector (complaint below 24) and an
/// eighth of shared wavefronts may be conflicts; a stall is named from 0.3 of the warps on.
/// `workload` may be null; with it, bytes counted in DRAM are set against the nominal ones.
std::vector<Finding> counter_findings(std::span<const KernelProfile> launches,
                                      const Workload* workload);

/// What is said where there is no profile: one note, and the judgement stands.
Finding no_profile(std::string why);

}  // namespace kw::profile
