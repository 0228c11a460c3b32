// Fits a reward model by recursive least squares.
// SPDX-License-Identifier: Apache-2.0
#include "search/reward_model.h"

#include <cmath>
#include <numeric>

#include "base/result.h"

namespace kw::search {

RewardModel::RewardModel(std::size_t features)
    : weights_(features, 0), covariance_(features, std::vector<double>(features, 0)) {
  for (std::size_t i = 0; i < features; ++i) covariance_[i][i] = 1;
}

double RewardModel::predict(const std::vector<double>& features) const {
  KW_ASSERT(features.size() == weights_.size());
  return std::inner_product(weights_.begin(), weights_.end(), features.begin(), 0.0);
}

void RewardModel::update(const std::vector<double>& features, double reward) {
  const double predicted = predict(features);
  const double error = reward - predicted;
  errors_ += std::abs(error);
  plain_errors_ += std::abs(reward - (updates_ == 0 ? 0 : seen_ / static_cast<double>(updates_)));
  predicted_ += predicted, seen_ += reward;
  predicted_squared_ += predicted * predicted, predicted_seen_ += predicted * reward;
  ++updates_;
  const std::size_t n = weights_.size();
  std::vector<double> gain(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    gain[i] = std::inner_product(features.begin(), features.end(), covariance_[i].begin(), 0.0);
  const double scale = 1 + std::inner_product(features.begin(), features.end(), gain.begin(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    weights_[i] += gain[i] / scale * error;
    for (std::size_t j = 0; j < n; ++j) covariance_[i][j] -= gain[i] * gain[j] / scale;
  }
}

double RewardModel::mean_error() const {
  return updates_ == 0 ? 0 : errors_ / static_cast<double>(updates_);
}

double RewardModel::plain_error() const {
  return updates_ == 0 ? 0 : plain_errors_ / static_cast<double>(updates_);
}

double RewardModel::slope() const {
  const auto n = static_cast<double>(updates_);
  const double spread = n * predicted_squared_ - predicted_ * predicted_;
  return updates_ < 3 || spread <= 0 ? 0 : (n * predicted_seen_ - predicted_ * seen_) / spread;
}

}  // namespace kw::search
