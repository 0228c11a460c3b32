// The roles in which a run asks models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "llm/spec.h"
#include "search/strategy.h"

namespace kw::session {

/// The role of the model that explains the referee's findings to the models that write.
inline constexpr const char* kJudgeRole = "judge";

/// Fails if a run with this strategy would never call a model in the role of `spec`.
Result<> check_role(const search::StrategyInfo& strategy, const llm::ModelSpec& spec);

}  // namespace kw::session
