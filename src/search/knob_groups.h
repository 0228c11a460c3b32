// KnobGroups: neighbouring knobs taken together, so that a correlation is looked up for a few
// groups instead of for each knob.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/knob_grid.h"

namespace kw::search {

/// Of one knob, or the product and the sum over several.
struct Correlated {
  double product = 1;
  double sum = 0;
};

class KnobGroups {
 public:
  /// `grid` outlives this.
  explicit KnobGroups(const KnobGrid& grid);
  std::size_t count() const { return groups_.size(); }

  /// Appends a point's place in each group.
  void append_codes(const Places& point, std::vector<std::uint16_t>& codes) const;

  /// What the knobs' tables (value by value) say of all places of all groups beside one point.
  /// Costs a few operations for each place, of which there are at most 16 a group of several.
  std::vector<Correlated> tabulate(const Places& point,
                                   const std::vector<std::vector<double>>& tables) const;
  /// Of the point that was tabulated and one of these codes.
  Correlated at(const std::vector<Correlated>& table, const std::uint16_t* codes) const {
    Correlated all;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Correlated& own = table[groups_[g].offset + codes[g]];
      all.product *= own.product;
      all.sum += own.sum;
    }
    return all;
  }

 private:
  struct Group {
    std::size_t first = 0;  // knob
    std::size_t knobs = 0;
    std::size_t offset = 0;  // of its places in a table
    std::size_t places = 1;
  };

  const KnobGrid& grid_;
  std::vector<Group> groups_;
  std::size_t places_ = 0;  // of all groups
};

}  // namespace kw::search
