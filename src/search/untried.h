// The points of a tuning space that nobody has asked for yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "search/knob_space.h"

namespace kw::search {

/// Remembers which points were taken; lists the space only when random draws no longer hit an
/// untried point.
class Untried {
 public:
  /// `space` must outlive this object.
  explicit Untried(const KnobSpace& space) : space_(&space) {}

  /// Whether the point is valid and not taken.
  bool contains(const KnobPoint& point) const {
    return space_->is_valid(point) && !is_taken(space_->number_of(point));
  }
  void take(const KnobPoint& point);
  /// Whether the point with this number in its space is taken.
  bool is_taken(std::uint64_t number) const;

  /// A random untried point, which remains untried. Nothing: none is left, or, in a space with few
  /// valid combinations, none is among the first 2^20.
  std::optional<KnobPoint> draw(Rng& rng);

 private:
  const KnobSpace* space_;
  std::vector<std::uint64_t> taken_;  // sorted; takes a fifth of the memory of a set
  // Valid points that may be untried; taken ones are removed when a draw hits them.
  std::optional<std::vector<std::uint64_t>> listed_;
};

}  // namespace kw::search
