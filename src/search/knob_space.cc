// Numbering, validity and neighbourhood of the points of a tuning space.
// SPDX-License-Identifier: Apache-2.0
#include "search/knob_space.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"

namespace kw::search {

KnobSpace::KnobSpace(std::vector<KnobAxis> knobs, Validity is_valid)
    : knobs_(std::move(knobs)), is_valid_(std::move(is_valid)) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  for (const KnobAxis& knob : knobs_) {
    KW_ASSERT(!knob.values.empty());
    size_ = size_ > kMost / knob.values.size() ? kMost : size_ * knob.values.size();
  }
}

KnobPoint KnobSpace::at(std::uint64_t number) const {
  KnobPoint point;
  for (auto knob = knobs_.rbegin(); knob != knobs_.rend(); ++knob) {
    point[knob->name] = knob->values[number % knob->values.size()];
    number /= knob->values.size();
  }
  return point;
}

std::uint64_t KnobSpace::number_of(const KnobPoint& point) const {
  std::uint64_t number = 0;
  for (const KnobAxis& knob : knobs_) {
    const auto value = point.find(knob.name);
    KW_ASSERT(value != point.end());
    const auto place = std::find(knob.values.begin(), knob.values.end(), value->second);
    KW_ASSERT(place != knob.values.end());
    number = number * knob.values.size() + static_cast<std::uint64_t>(place - knob.values.begin());
  }
  return number;
}

KnobPoint KnobSpace::first() const {
  constexpr std::uint64_t kLookedAt = 1 << 16;
  for (std::uint64_t n = 0; n < std::min(size_, kLookedAt); ++n)
    if (KnobPoint point = at(n); is_valid(point)) return point;
  return at(0);
}

std::vector<KnobPoint> KnobSpace::valid_points(std::size_t limit) const {
  constexpr std::uint64_t kLookedAt = 1 << 20;
  std::vector<KnobPoint> points;
  for (std::uint64_t n = 0; n < std::min(size_, kLookedAt) && points.size() < limit; ++n)
    if (KnobPoint point = at(n); is_valid(point)) points.push_back(std::move(point));
  return points;
}

std::vector<KnobPoint> KnobSpace::neighbours(const KnobPoint& point) const {
  std::vector<KnobPoint> result;
  for (const KnobAxis& knob : knobs_) {
    const auto here = std::find(knob.values.begin(), knob.values.end(), point.at(knob.name));
    KW_ASSERT(here != knob.values.end());
    const auto add = [&](std::int64_t value) {
      KnobPoint other = point;
      other[knob.name] = value;
      if (is_valid(other)) result.push_back(std::move(other));
    };
    if (here != knob.values.begin()) add(*(here - 1));
    if (here + 1 != knob.values.end()) add(*(here + 1));
  }
  return result;
}

std::string to_text(const KnobPoint& point) {
  return point.empty() ? "no knobs" : knobs_text(point);
}

}  // namespace kw::search
