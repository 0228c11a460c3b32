// Sorts and scales the values of knobs.
// SPDX-License-Identifier: Apache-2.0
#include "search/knob_grid.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace kw::search {
namespace {

std::vector<double> positions_of(const std::vector<std::int64_t>& values) {
  constexpr double kWide = 4;
  const auto low = static_cast<double>(values.front());
  const auto high = static_cast<double>(values.back());
  // Logarithms are taken of value + 1, because many knobs use 0 for "off".
  const bool is_log = low >= 0 && (high + 1) / (low + 1) >= kWide;
  const auto scale = [is_log](double value) { return is_log ? std::log1p(value) : value; };
  const double range = scale(high) - scale(low);
  std::vector<double> positions;
  for (const std::int64_t value : values)
    positions.push_back(range > 0 ? (scale(static_cast<double>(value)) - scale(low)) / range : 0);
  return positions;
}

}  // namespace

KnobGrid::KnobGrid(const KnobSpace& space) {
  for (const KnobAxis& knob : space.knobs()) {
    Axis axis{knob.name, knob.values, {}, {}, {}};
    std::sort(axis.values.begin(), axis.values.end());
    axis.positions = positions_of(axis.values);
    axis.listed_of_place.resize(knob.values.size());
    for (const std::int64_t value : knob.values) {
      const auto place = std::lower_bound(axis.values.begin(), axis.values.end(), value);
      const auto at = static_cast<std::size_t>(place - axis.values.begin());
      axis.listed_of_place[at] = static_cast<std::uint16_t>(axis.place_of_listed.size());
      axis.place_of_listed.push_back(static_cast<std::uint16_t>(at));
    }
    knobs_.push_back(std::move(axis));
  }
}

Places KnobGrid::places_of(const KnobPoint& point) const {
  Places places;
  for (const Axis& axis : knobs_) {
    const auto found =
        std::lower_bound(axis.values.begin(), axis.values.end(), point.at(axis.name));
    KW_ASSERT(found != axis.values.end() && *found == point.at(axis.name));
    places.push_back(static_cast<std::uint16_t>(found - axis.values.begin()));
  }
  return places;
}

KnobPoint KnobGrid::point_at(const Places& places) const {
  KnobPoint point;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    point[knobs_[k].name] = knobs_[k].values[places[k]];
  return point;
}

Places KnobGrid::places_of(std::uint64_t number) const {
  Places places(knobs_.size());
  for (std::size_t k = knobs_.size(); k-- > 0;) {
    const std::uint64_t count = knobs_[k].values.size();
    places[k] = knobs_[k].place_of_listed[number % count];
    number /= count;
  }
  return places;
}

std::uint64_t KnobGrid::number_of(const Places& places) const {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    number = number * knobs_[k].values.size() + knobs_[k].listed_of_place[places[k]];
  return number;
}

}  // namespace kw::search
