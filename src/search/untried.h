// The points of a tuning space that nobody has asked for yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "search/knob_space.h"

namespace kw::search {

/// Remembers what was taken; lists a space only when lots no longer hit what is left.
class Untried {
 public:
  /// `space` outlives this.
  explicit Untried(const KnobSpace& space) : space_(&space) {}

  /// Valid and not taken.
  bool contains(const KnobPoint& point) const {
    return space_->is_valid(point) && !is_taken(space_->number_of(point));
  }
  void take(const KnobPoint& point);
  /// By the point's number in its space.
  bool is_taken(std::uint64_t number) const;

  /// One of them by lot, not taken by that. Nothing: none is left, or, in a space of which few
  /// combinations are valid, none among the first 2^20.
  std::optional<KnobPoint> draw(Rng& rng);

 private:
  const KnobSpace* space_;
  std::vector<std::uint64_t> taken_;  // sorted: a fifth of the memory of a set, in long runs
  std::optional<std::vector<std::uint64_t>> listed_;  // valid points; taken ones leave when met
};

}  // namespace kw::search
