// Lloyd's k-means algorithm, started by k-means++.
// SPDX-License-Identifier: Apache-2.0
#include "search/clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kw::search {
namespace {

constexpr int kMostRounds = 20;

double distance(const Features& a, const Features& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::vector<Features> scaled(std::vector<Features> points) {
  const auto count = static_cast<double>(points.size());
  for (std::size_t f = 0; f < points.front().size(); ++f) {
    double mean = 0, square = 0;
    for (const Features& p : points) mean += p[f] / count, square += p[f] * p[f] / count;
    const double deviation = std::sqrt(std::max(0.0, square - mean * mean));
    for (Features& p : points) p[f] = deviation > 0 ? (p[f] - mean) / deviation : 0;
  }
  return points;
}

std::size_t nearest(const Features& point, const std::vector<Features>& centres) {
  const auto closer = [&](const Features& a, const Features& b) {
    return distance(point, a) < distance(point, b);
  };
  return static_cast<std::size_t>(std::ranges::min_element(centres, closer) - centres.begin());
}

/// Draws the first centres of k-means++: each further one at random, weighted by its squared
/// distance from the nearest existing centre.
std::vector<Features> first_centres(const std::vector<Features>& points, std::size_t k, Rng& rng) {
  std::vector<Features> centres{points[static_cast<std::size_t>(rng.below(points.size()))]};
  while (centres.size() < k) {
    double sum = 0;
    std::vector<double> up_to;
    for (const Features& p : points)
      up_to.push_back(sum += distance(p, centres[nearest(p, centres)]));
    if (sum <= 0) break;  // there are fewer different points than clusters
    const double lot = rng.uniform() * sum;
    const auto at = std::ranges::upper_bound(up_to, lot) - up_to.begin();
    centres.push_back(points[std::min(static_cast<std::size_t>(at), points.size() - 1)]);
  }
  return centres;
}

}  // namespace

std::vector<std::size_t> cluster(const std::vector<Features>& points, std::size_t k, Rng& rng) {
  if (points.empty()) return {};
  const std::vector<Features> at = scaled(points);
  std::vector<Features> centres = first_centres(at, k, rng);
  std::vector<std::size_t> of(at.size(), 0);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::size_t> next;
    for (const Features& p : at) next.push_back(nearest(p, centres));
    const bool is_still = round > 0 && next == of;
    of = std::move(next);
    if (is_still) break;
    std::vector<double> counts(centres.size(), 0);
    std::vector<Features> sums(centres.size(), Features(at.front().size(), 0));
    for (std::size_t i = 0; i < at.size(); ++i) {
      ++counts[of[i]];
      for (std::size_t f = 0; f < at[i].size(); ++f) sums[of[i]][f] += at[i][f];
    }
    for (std::size_t c = 0; c < centres.size(); ++c)
      for (std::size_t f = 0; counts[c] > 0 && f < centres[c].size(); ++f)
        centres[c][f] = sums[c][f] / counts[c];
  }
  return of;
}

}  // namespace kw::search
