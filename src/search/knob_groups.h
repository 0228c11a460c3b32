// Groups neighbouring knobs, so that a correlation is looked up for a few groups instead of for
// each knob.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/knob_grid.h"

namespace kw::search {

/// Correlation of one knob; for several knobs, the product and the sum of their correlations.
struct Correlated {
  double product = 1;
  double sum = 0;
};

class KnobGroups {
 public:
  /// `grid` must outlive the groups.
  explicit KnobGroups(const KnobGrid& grid);
  std::size_t count() const { return groups_.size(); }

  /// Appends the index of a point's values in each group.
  void append_codes(const Places& point, std::vector<std::uint16_t>& codes) const;

  /// Correlations between one point and all combinations of each group's values, from the knobs'
  /// tables of correlations. Costs a few operations for each combination, of which a group of
  /// several knobs has at most 16.
  std::vector<Correlated> tabulate(const Places& point,
                                   const std::vector<std::vector<double>>& tables) const;
  /// Correlation between the tabulated point and the point with these codes.
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
    std::size_t first = 0;  // first knob of the group
    std::size_t knobs = 0;
    std::size_t offset = 0;  // where the group's places begin in a table
    std::size_t places = 1;
  };

  const KnobGrid& grid_;
  std::vector<Group> groups_;
  std::size_t places_ = 0;  // places of all groups together
};

}  // namespace kw::search
