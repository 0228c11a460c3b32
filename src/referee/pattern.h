// What wrong elements have in common, in words that tell a programmer where to look.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/verdict.h"
#include "record/wording.h"

namespace kw::referee {

/// One compared region, dense and row-major: what the candidate left, and the truth.
struct FailureMap {
  std::vector<std::int64_t> sizes;   ///< Sizes of the region.
  std::vector<std::int64_t> origin;  ///< Coordinates, in the tensor, of the region's first element.
  std::vector<double> got;
  std::vector<double> want;
  std::vector<double> before;  ///< Values before the call; empty if unknown.
  std::vector<bool> failed;

  std::int64_t count() const { return static_cast<std::int64_t>(got.size()); }
};

struct PatternReading {
  /// At most two whole sentences; empty where no element failed.
  std::vector<Wording> sentences;
  MismatchPattern pattern = MismatchPattern::None;  ///< None where no known pattern fits.
};

/// Finds the pattern of the wrong elements in their values and in their places. Places say more
/// about loops than values do, so where both show a pattern, that of the places is returned. Pure;
/// O(elements × dimensions).
PatternReading read_pattern(const FailureMap& map);

/// The first `limit` failed elements as a table: coordinates, got, want, difference.
std::string number_frame(const FailureMap& map, std::size_t limit = 8);

}  // namespace kw::referee
