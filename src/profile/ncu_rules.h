// Rules that turn the counters of one call's launches into ranked findings. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/ncu.h"
#include "record/device.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw::profile {

/// Findings of kind "resource" about the launches of one call, most important first. Thresholds are
/// those of Nsight Compute's own rules where it has one; each stands with its source in
/// ncu_rules.cc. `workload` may be null; with it, bytes counted in DRAM are set against the nominal
/// ones. `device` may be null; with it, the traffic and operations of each level are held against
/// its measured ceilings.
std::vector<Finding> counter_findings(std::span<const KernelProfile> launches,
                                      const Workload* workload,
                                      const DeviceFacts* device = nullptr);

}  // namespace kw::profile
