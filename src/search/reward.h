// Reward policies: an outcome as one number, by the name of the policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "search/types.h"

namespace kw::search {

struct RewardPolicy {
  std::string_view name;
  std::string_view what;           ///< One line.
  double (*compute)(const Tell&);  ///< Reads all of the tell but its reward and merit.
  /// Tell::merit from the reward of something measured; null: the reward itself.
  double (*merit)(double reward) = nullptr;
};

std::span<const RewardPolicy> reward_policies();

/// Sets the tell's reward and merit.
void grant(const RewardPolicy& policy, Tell& tell);

/// Unknown name: an error with the nearest one.
Result<const RewardPolicy*> find_reward_policy(std::string_view name);

}  // namespace kw::search
