// What Monte Carlo graph search knows about a state or step, and the formulas of its choices. After
// ReGraphT's Monte Carlo graph search (arXiv 2510.19873).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kw::search {

/// Mean value and number of the rollouts through a state or step.
struct RolloutValue {
  double q = 0;
  int n = 0;

  void add(double value) { q += (value - q) / ++n; }
};

/// Eq. 1: P-UCB(s) = Q(s) + sqrt(2 ln N(s') / N(s)), where s' is the parent on this path. An
/// unvisited state ranks above all others.
inline double upper_bound(const RolloutValue& state, const RolloutValue& parent) {
  if (state.n == 0) return std::numeric_limits<double>::max();
  return state.q + std::sqrt(2 * std::log(std::max(1, parent.n)) / state.n);
}

/// Eq. 2: Q(s, a) - lambda N(s, a); the second term ends circles. The paper does not give lambda;
/// its value is our choice.
inline double rollout_score(const RolloutValue& step) {
  constexpr double kVisitCost = 0.1;
  return step.q - kVisitCost * step.n;
}

}  // namespace kw::search
