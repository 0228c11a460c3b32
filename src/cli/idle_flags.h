// Refuses flags that would have no effect in the requested run, with what they need to have one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/optimize_flags.h"
#include "search/strategy.h"

namespace kw::cli {

/// Refuses flags without effect on a landscape (a search space of stored times); accepts all flags
/// if the run searches a task.
Result<> refuse_on_landscape(const OptimizeFlags& flags);

/// Refuses flags without effect for this strategy, on a task or a landscape. Accepts a flag that
/// turns off what the strategy does not do anyway.
Result<> refuse_idle(const OptimizeFlags& flags, const search::StrategyInfo& strategy);

}  // namespace kw::cli
