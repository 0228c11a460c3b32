// Launch plans against the kernels that were built: what would fail at the launch is told before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "record/evaluation.h"

namespace kw::worker {

/// The first launch of `unit`'s plans that its cubin cannot serve: a kernel that is not there or
/// arguments that are not its parameters (launch, launch_failed); a block beyond its launch bounds
/// or more registers than a block has (launch, out_of_resources); more registers than the task
/// allows a thread (screen, rejected). Nothing for units of target cpu and for cubins whose kernels
/// are not described. The finding stands at the very argument or size in `source`, which the plans
/// were made of. `gpu` may be null: then limits are not looked at.
std::optional<PlanFault> check_plans(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const Candidate& source, const Restrictions& allowed,
                                     const GpuFacts* gpu);

}  // namespace kw::worker
