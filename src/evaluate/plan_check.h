// Checks launch plans against the built kernels, to report before a launch what would fail at it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "record/evaluation.h"

namespace kw::evaluate {

/// The first launch of `unit`'s plans that its cubin cannot serve: a missing kernel, or arguments
/// that do not match its parameters (launch, launch_failed); a block beyond its launch bounds, or
/// more registers than a block has (launch, out_of_resources); more registers than the task allows
/// a thread (screen, rejected). Nothing for units of target cpu, and for cubins whose kernels are
/// not described. The finding points to the argument or size in `source`, from which the plans were
/// made. `gpu` may be null: then the device's limits are not checked.
std::optional<PlanFault> check_plans(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const Candidate& source, const Restrictions& allowed,
                                     const GpuFacts* gpu);

}  // namespace kw::evaluate
