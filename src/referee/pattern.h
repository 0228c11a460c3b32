// What wrong elements have in common, in words that tell a programmer where to look.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/verdict.h"

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

struct PatternReading {
  std::vector<std::string> sentences;  ///< Whole ones, at most two; empty where nothing is failed.
  MismatchPattern pattern = MismatchPattern::None;  ///< None where no known one fits.
};

/// Values and places of the wrong elements. Where they lie says more about loops than which values
/// they have, so the pattern is that of places where both tell one. Pure; O(elements × dimensions).
PatternReading read_pattern(const FailureMap& map);

/// The first `limit` failed elements as a table: coordinates, got, want, difference.
std::string number_frame(const FailureMap& map, std::size_t limit = 8);

}  // namespace kw::referee
