// A tuning space as distance-based tuners see it: each knob's values in ascending order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/knob_space.h"

namespace kw::search {

/// For each knob, in the space's order, the index of its value in the ascending list of its values.
using Places = std::vector<std::uint16_t>;

/// Converts between points and Places. People list a knob's default first, so nearness follows from
/// the values and not from their order in the file.
class KnobGrid {
 public:
  explicit KnobGrid(const KnobSpace& space);

  std::size_t knobs() const { return knobs_.size(); }
  std::size_t values(std::size_t knob) const { return knobs_[knob].values.size(); }
  /// The position of a value between the knob's least value (0) and its largest (1). The scale is
  /// logarithmic if no value is negative and the values spread over a factor of four, as sizes do;
  /// otherwise linear.
  double position(std::size_t knob, std::size_t place) const {
    return knobs_[knob].positions[place];
  }

  /// The places of a point. Precondition: every knob has one of its values.
  Places places_of(const KnobPoint& point) const;
  KnobPoint point_at(const Places& places) const;
  /// The Places of the point with this number in the space, at a hundredth of the cost of
  /// converting a KnobPoint.
  Places places_of(std::uint64_t number) const;
  std::uint64_t number_of(const Places& places) const;

 private:
  struct Axis {
    std::string name;
    std::vector<std::int64_t> values;  // in ascending order
    std::vector<double> positions;
    std::vector<std::uint16_t> place_of_listed;  // by the value's index in the space's own order
    std::vector<std::uint16_t> listed_of_place;
  };
  std::vector<Axis> knobs_;
};

}  // namespace kw::search
