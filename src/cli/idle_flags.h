// Refuses flags that have no effect in the run that is asked for, and says what they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/optimize_flags.h"
#include "search/strategy.h"

namespace kw::cli {

/// The strategies for which `is_so` is true, for people: "coder-judge" or "evolve, refine".
std::string strategies_where(bool (*is_so)(const search::StrategyInfo&));

/// Refuses flags without effect on a landscape; accepts everything where a task is searched.
Result<> refuse_on_landscape(const OptimizeFlags& flags);

/// Refuses flags without effect for this strategy, whatever is searched. A flag that only turns off
/// what would not happen anyway is accepted.
Result<> refuse_idle(const OptimizeFlags& flags, const search::StrategyInfo& strategy);

}  // namespace kw::cli
