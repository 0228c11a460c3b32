// Checks the roles of models.
// SPDX-License-Identifier: Apache-2.0
#include "session/roles.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::session {

Result<> check_role(const search::StrategyInfo& strategy, const llm::ModelSpec& spec) {
  std::vector<std::string> roles(strategy.roles.begin(), strategy.roles.end());
  if (strategy.has_parents && !contains(roles, std::string(kJudgeRole)))
    roles.emplace_back(kJudgeRole);
  if (spec.role.empty() || contains(roles, spec.role)) return {};
  return fail_input(ErrorCode::Contradiction, About{with_nearest(spec.role, roles)},
                    fmt::format("strategy '{}' asks no model in the role '{}'{}{}", strategy.name,
                                spec.role, suggestion(spec.role, roles),
                                roles.empty() ? "" : "; its roles: " + join(roles, ", ")),
                    spec.text());
}

}  // namespace kw::session
