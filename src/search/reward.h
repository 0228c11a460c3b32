// Reward policies: each turns an outcome into one number and is found by its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "search/types.h"

namespace kw::search {

struct RewardPolicy {
  std::string_view name;
  std::string_view what;           ///< Description in one line.
  double (*compute)(const Tell&);  ///< May read everything in the tell except its reward and merit.
  /// Computes Tell::merit from the reward of a measured outcome; null: the merit equals the reward.
  double (*merit)(double reward) = nullptr;
};

std::span<const RewardPolicy> reward_policies();

/// Sets the tell's reward and merit.
void grant(const RewardPolicy& policy, Tell& tell);

/// Finds a policy; an unknown name is an error that suggests the nearest one.
Result<const RewardPolicy*> find_reward_policy(std::string_view name);

}  // namespace kw::search
