// The table of reward policies.
// SPDX-License-Identifier: Apache-2.0
#include "search/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace kw::search {
namespace {

bool is_measured(const Tell& tell) { return tell.is_correct() && tell.speedup.value > 0; }

double speedup(const Tell& tell) { return is_measured(tell) ? tell.speedup.value : 0; }

// A failure counts as 16 times slower than the baseline: worse than anything worth keeping, yet
// within the range of what is measured, so that averages stay meaningful.
double log_speedup(const Tell& tell) {
  const double worst = -std::log(16.0);
  return is_measured(tell) ? std::max(worst, std::log(tell.speedup.value)) : worst;
}

constexpr std::array kPolicies{
    RewardPolicy{"speedup", "speedup over the baseline; 0 for a failure", speedup},
    RewardPolicy{"log_speedup",
                 "natural logarithm of the speedup; a failure counts as 16 times slower",
                 log_speedup},
};

}  // namespace

std::span<const RewardPolicy> reward_policies() { return kPolicies; }

Result<const RewardPolicy*> find_reward_policy(std::string_view name) {
  std::vector<std::string> names;
  for (const RewardPolicy& policy : kPolicies) {
    if (policy.name == name) return &policy;
    names.emplace_back(policy.name);
  }
  return fail(fmt::format("no reward policy '{}'{}", name, suggestion(name, names)));
}

}  // namespace kw::search
