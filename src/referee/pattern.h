// What wrong elements have in common, in words that tell a programmer where to look.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kw::referee {

/// One compared region, dense and row-major, as the candidate left it beside the truth.
struct FailureMap {
  std::vector<std::int64_t> sizes;   ///< Of the region.
  std::vector<std::int64_t> origin;  ///< Coordinates of its first element in the tensor.
  std::vector<double> got;
  std::vector<double> want;
  std::vector<double> before;  ///< Content before the call; empty if unknown.
  std::vector<bool> failed;

  std::int64_t count() const { return static_cast<std::int64_t>(got.size()); }
};

/// Whole sentences, the most telling first, at most three; empty where nothing is failed or no
/// known pattern fits. Pure; O(elements × dimensions).
std::vector<std::string> describe_pattern(const FailureMap& map);

/// The first `limit` failed elements as a table: coordinates, got, want, difference.
std::string number_frame(const FailureMap& map, std::size_t limit = 8);

}  // namespace kw::referee
