// Predicts the reward of an action in a state from the rewards seen so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace kw::search {

/// A model that is linear in its features, fitted online by recursive least squares with a ridge of
/// 1, which is the posterior mean of a linear model with unit prior. O(features^2) an update; keeps
/// no history.
class RewardModel {
 public:
  explicit RewardModel(std::size_t features);

  double predict(const std::vector<double>& features) const;
  void update(const std::vector<double>& features, double reward);
  const std::vector<double>& weights() const { return weights_; }
  std::size_t updates() const { return updates_; }
  /// Mean of |predicted - seen| over all updates, each predicted just before its reward was learnt.
  double mean_error() const;
  /// Mean error of predicting each reward as the mean of the rewards before it.
  double plain_error() const;
  /// Calibration: by how much rewards differed for each 1 by which predictions differed. 1 is
  /// right; 0 means that predictions say nothing, or that there were fewer than three updates.
  double slope() const;

 private:
  std::vector<double> weights_;
  std::vector<std::vector<double>> covariance_;
  std::size_t updates_ = 0;
  double errors_ = 0;
  double plain_errors_ = 0;
  // Sums over updates of what was predicted, of what was seen, and of their products.
  double predicted_ = 0, seen_ = 0, predicted_squared_ = 0, predicted_seen_ = 0;
};

}  // namespace kw::search
