// A set of numbers from which a random one can be drawn in constant time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "base/rng.h"

namespace kw::search {

/// The order of the items depends only on the history of additions and removals.
class Bag {
 public:
  void set(std::size_t item, bool is_in) { is_in ? add(item) : remove(item); }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const std::vector<std::size_t>& items() const { return items_; }
  /// A random item. Precondition: the bag is not empty.
  std::size_t draw(Rng& rng) const {
    return items_[static_cast<std::size_t>(rng.below(items_.size()))];
  }

 private:
  static constexpr std::size_t kOut = static_cast<std::size_t>(-1);

  void add(std::size_t item) {
    if (item >= places_.size()) places_.resize(item + 1, kOut);
    if (places_[item] != kOut) return;
    places_[item] = items_.size();
    items_.push_back(item);
  }
  void remove(std::size_t item) {
    if (item >= places_.size() || places_[item] == kOut) return;
    const std::size_t place = places_[item];
    items_[place] = items_.back();
    places_[items_[place]] = place;
    items_.pop_back();
    places_[item] = kOut;
  }

  std::vector<std::size_t> items_;
  std::vector<std::size_t> places_;  // by item: its place in items_
};

}  // namespace kw::search
