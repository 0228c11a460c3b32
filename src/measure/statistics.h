// Order statistics that need no assumption about the shape of timing noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace kw::measure {

/// Closed interval; unbounded until something is known.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool operator==(const Interval&) const = default;
};

/// Value below which the fraction `q` (0..1) of `values` lies, linear between neighbours.
/// `values` must not be empty; order does not matter; O(n log n).
double quantile(std::span<const double> values, double q);

/// The same as quantile(values, 0.5).
double median(std::span<const double> values);

/// Median absolute deviation from the median, times 1.4826 so that it estimates the standard
/// deviation of normal data.
double mad(std::span<const double> values);

/// Smallest n for which median_interval(n values, alpha) exists: 9 at alpha = 0.005.
std::size_t samples_needed(double alpha);

/// Interval that misses the median of the distribution with probability at most `alpha`, whatever
/// the distribution: [x(k), x(n+1-k)] with the largest k for which 2 P(Binomial(n, 1/2) < k) <=
/// alpha. Needs only that each value falls below or above the median by an independent fair coin.
/// Ties make the interval wider, never wrong. Nothing if n < samples_needed(alpha). O(n log n).
std::optional<Interval> median_interval(std::span<const double> values, double alpha);

/// Interval of the median of an autocorrelated series: median_interval of the medians of at most 24
/// consecutive blocks, so it holds while disturbances are shorter than a block. Nothing if there
/// are fewer than samples_needed(alpha) values.
std::optional<Interval> series_median_interval(std::span<const double> series, double alpha);

}  // namespace kw::measure
