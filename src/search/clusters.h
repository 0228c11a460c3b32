// Clusters of points by k-means over a few measured features of kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/rng.h"

namespace kw::search {

using Features = std::vector<double>;

/// For each point the number of its cluster, from 0 to k - 1; there are fewer clusters where there
/// are fewer points. Each feature is first scaled to deviation 1. Lloyd's algorithm starts from
/// k-means++ centres and runs until no point changes its cluster, at most 20 rounds. The same
/// points and generator give the same clusters. Precondition: all points have the same length.
std::vector<std::size_t> cluster(const std::vector<Features>& points, std::size_t k, Rng& rng);

}  // namespace kw::search
