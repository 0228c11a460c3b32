// The table of reward policies, which turn outcomes into numbers.
// SPDX-License-Identifier: Apache-2.0
#include "search/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::search {
namespace {

bool is_measured(const Tell& tell) { return tell.is_correct() && tell.speedup.value > 0; }

double speedup(const Tell& tell) { return is_measured(tell) ? tell.speedup.value : 0; }

// A failure counts as 16 times slower than the baseline: worse than anything worth keeping, yet
// within the range of measured results, so that averages stay meaningful.
double log_speedup(const Tell& tell) {
  const double worst = -std::log(16.0);
  return is_measured(tell) ? std::max(worst, std::log(tell.speedup.value)) : worst;
}

double of_logarithm(double reward) { return std::exp(reward); }

// ReGraphT, eq. 3 (arXiv 2510.19873): a slowdown earns minus the share of speed lost, a failure -1.
double regrapht(const Tell& tell) {
  if (!is_measured(tell)) return -1;
  return tell.speedup.value < 1 ? tell.speedup.value - 1 : tell.speedup.value;
}

double of_regrapht(double reward) { return reward < 1 ? reward + 1 : reward; }

// The reward that TritonGym's loop uses (docs/strategies.md): 10 divided by the latency in
// milliseconds.
double triton_gym(const Tell& tell) {
  if (is_measured(tell)) return tell.time_ns > 0 ? 10 / (tell.time_ns / 1e6) : 0;
  return tell.stage <= Stage::Compile ? -10 : -5;
}

// Kevin-32B (arXiv 2507.11948): being correct is worth 0.3.
double kevin(const Tell& tell) { return is_measured(tell) ? 0.3 + tell.speedup.value : 0; }

double roofline(const Tell& tell) { return is_measured(tell) ? tell.roofline_fraction : 0; }

// SOL-ExecBench: 1 at the roofline, 1/2 at the baseline's time.
double sol(const Tell& tell) {
  if (!is_measured(tell) || tell.time_ns <= 0 || tell.roofline_fraction <= 0) return 0;
  const double least = tell.time_ns * std::min(tell.roofline_fraction, 1.0);
  const double to_go = tell.time_ns * tell.speedup.value - least;
  return to_go > 0 ? 1 / (1 + (tell.time_ns - least) / to_go) : 0;
}

// Merit of a measured result for which the policy has no value (such as an unknown roofline): all
// such results rank alike, and none counts as failed.
constexpr double kLeastMerit = 1e-6;

constexpr std::array kPolicies{
    RewardPolicy{"speedup", "speedup over the baseline; 0 for a failure", speedup},
    RewardPolicy{"log_speedup",
                 "natural logarithm of the speedup; a failure counts as 16 times slower",
                 log_speedup, of_logarithm},
    RewardPolicy{"regrapht",
                 "speedup, less 1 if slower than the baseline; -1 for a failure (ReGraphT)",
                 regrapht, of_regrapht},
    RewardPolicy{"triton_gym", "10 divided by the time in ms; -10 if not compiled, -5 if wrong",
                 triton_gym},
    RewardPolicy{"kevin", "0.3 plus the speedup; 0 for a failure (Kevin-32B)", kevin},
    RewardPolicy{"roofline", "fraction of the roofline; 0 for a failure", roofline},
    RewardPolicy{"sol", "1 at the roofline, 1/2 at the baseline (SOL-ExecBench)", sol},
};

}  // namespace

void grant(const RewardPolicy& policy, Tell& tell) {
  tell.reward = policy.compute(tell);
  tell.merit = 0;
  if (!is_measured(tell)) return;
  const double merit = policy.merit != nullptr ? policy.merit(tell.reward) : tell.reward;
  tell.merit = std::max(kLeastMerit, merit);
}

std::span<const RewardPolicy> reward_policies() { return kPolicies; }

Result<const RewardPolicy*> find_reward_policy(std::string_view name) {
  std::vector<std::string> names;
  for (const RewardPolicy& policy : kPolicies) {
    if (policy.name == name) return &policy;
    names.emplace_back(policy.name);
  }
  return fail_input(ErrorCode::NotFound, About{with_nearest(name, names)},
                    fmt::format("no reward policy '{}'{}; there are: {}", name,
                                suggestion(name, names), join(names, ", ")));
}

}  // namespace kw::search
