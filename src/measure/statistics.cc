// Computes order statistics: sorting, binomial tails, block medians.
// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/result.h"

namespace kw::measure {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double q) {
  KW_ASSERT(!values.empty());
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

// Largest k with 2 P(Binomial(n, 1/2) < k) <= alpha; 0 if there is none. Computed in logarithms,
// because 2^-n underflows where long series begin.
std::size_t order_below(std::size_t n, double alpha) {
  double log_term = -static_cast<double>(n) * std::numbers::ln2;
  double tail = 0;
  for (std::size_t k = 0; k < n; ++k) {
    tail += std::exp(log_term);
    if (2 * tail > alpha) return k;
    log_term += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
  }
  return n / 2;
}

}  // namespace

double quantile(std::span<const double> values, double q) {
  return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double mad(std::span<const double> values) {
  constexpr double kNormalConsistency = 1.4826;  // 1 / Phi^-1(3/4)
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (double v : values) distances.push_back(std::abs(v - middle));
  return kNormalConsistency * median(distances);
}

std::size_t samples_needed(double alpha) {
  KW_ASSERT(alpha > 0 && alpha < 1);
  std::size_t n = 1;
  while (order_below(n, alpha) == 0) ++n;
  return n;
}

std::optional<Interval> median_interval(std::span<const double> values, double alpha) {
  const std::size_t k = order_below(values.size(), alpha);
  if (k == 0) return std::nullopt;
  const std::vector<double> order = sorted(values);
  return Interval{order[k - 1], order[order.size() - k]};
}

std::optional<Interval> series_median_interval(std::span<const double> series, double alpha) {
  constexpr std::size_t kMostBlocks = 24;
  const std::size_t blocks = std::min(series.size(), std::max(kMostBlocks, samples_needed(alpha)));
  std::vector<double> medians;
  medians.reserve(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = series.size() * b / blocks;
    const std::size_t to = series.size() * (b + 1) / blocks;
    medians.push_back(median(series.subspan(from, to - from)));
  }
  return median_interval(medians, alpha);
}

}  // namespace kw::measure
