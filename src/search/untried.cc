// Draws random points as long as they are likely to hit an untried one; after this, lists the rest.
// SPDX-License-Identifier: Apache-2.0
#include "search/untried.h"

#include <algorithm>

namespace kw::search {

bool Untried::is_taken(std::uint64_t number) const {
  return std::binary_search(taken_.begin(), taken_.end(), number);
}

void Untried::take(const KnobPoint& point) {
  const std::uint64_t number = space_->number_of(point);
  const auto place = std::lower_bound(taken_.begin(), taken_.end(), number);
  if (place == taken_.end() || *place != number) taken_.insert(place, number);
}

std::optional<KnobPoint> Untried::draw(Rng& rng) {
  constexpr int kLots = 32;
  for (int lot = 0; lot < kLots; ++lot)
    if (KnobPoint point = space_->at(rng.below(space_->size())); contains(point)) return point;

  constexpr std::size_t kListed = 1 << 16;
  if (!listed_) {
    listed_.emplace();
    for (const KnobPoint& point : space_->valid_points(kListed))
      listed_->push_back(space_->number_of(point));
  }
  while (!listed_->empty()) {
    std::uint64_t& entry = (*listed_)[static_cast<std::size_t>(rng.below(listed_->size()))];
    if (!is_taken(entry)) return space_->at(entry);
    entry = listed_->back();
    listed_->pop_back();
  }
  return std::nullopt;
}

}  // namespace kw::search
