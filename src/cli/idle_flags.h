// Flags that could do nothing in the run that is asked for: told, with what would make them act.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/optimize_flags.h"
#include "search/strategy.h"

namespace kw::cli {

/// "coder-judge" or "evolve, refine": the strategies of which this is true, for people.
std::string strategies_where(bool (*is_so)(const search::StrategyInfo&));

/// Of a run on a landscape; nothing is refused on a task.
Result<> refuse_on_landscape(const OptimizeFlags& flags);

/// Of one of this strategy, whatever is searched. What merely turns off what would not happen
/// anyway is accepted.
Result<> refuse_idle(const OptimizeFlags& flags, const search::StrategyInfo& strategy);

}  // namespace kw::cli
