// Computes rewards by a policy.
// SPDX-License-Identifier: Apache-2.0
#include "session/rewards.h"

#include "engine/standing.h"
#include "search/reward.h"

namespace kw::session {

Result<Rewards> rewards_by(const std::string& policy) {
  const search::RewardPolicy* found = KW_TRY(as_input(search::find_reward_policy(policy)));
  return Rewards([found](const Attempt& attempt) { return engine::reward_of(attempt, *found); });
}

}  // namespace kw::session
