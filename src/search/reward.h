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
  double (*compute)(const Tell&);  ///< Reads all of the tell but its reward.
};

std::span<const RewardPolicy> reward_policies();

/// Unknown name: an error with the nearest one.
Result<const RewardPolicy*> find_reward_policy(std::string_view name);

}  // namespace kw::search
