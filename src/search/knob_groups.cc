// Builds the tables of correlations for groups of knobs, knob by knob.
// SPDX-License-Identifier: Apache-2.0
#include "search/knob_groups.h"

namespace kw::search {
namespace {

// Limit of value combinations in a group of several knobs, because each datum gets a table of them.
constexpr std::size_t kMostPlaces = 16;

}  // namespace

KnobGroups::KnobGroups(const KnobGrid& grid) : grid_(grid) {
  for (std::size_t k = 0; k < grid.knobs(); ++k) {
    const std::size_t values = grid.values(k);
    if (groups_.empty() || groups_.back().places * values > kMostPlaces)
      groups_.push_back({k, 0, places_, 1});
    Group& group = groups_.back();
    places_ += group.places * values - (group.knobs == 0 ? 0 : group.places);
    ++group.knobs;
    group.places *= values;
  }
}

void KnobGroups::append_codes(const Places& point, std::vector<std::uint16_t>& codes) const {
  for (const Group& group : groups_) {
    std::size_t code = 0;
    for (std::size_t k = group.first; k < group.first + group.knobs; ++k)
      code = code * grid_.values(k) + point[k];
    codes.push_back(static_cast<std::uint16_t>(code));
  }
}

std::vector<Correlated> KnobGroups::tabulate(const Places& point,
                                             const std::vector<std::vector<double>>& tables) const {
  std::vector<Correlated> table(places_);
  for (const Group& group : groups_) {
    Correlated* const places = &table[group.offset];
    places[0] = {};
    std::size_t filled = 1;
    for (std::size_t k = group.first; k < group.first + group.knobs; ++k) {
      const std::size_t values = grid_.values(k);
      const double* const own = &tables[k][point[k] * values];
      // The loop runs backwards, so that each entry is read before it is overwritten.
      for (std::size_t p = filled; p-- > 0;) {
        const Correlated before = places[p];
        for (std::size_t v = 0; v < values; ++v)
          places[p * values + v] = {before.product * own[v], before.sum + own[v]};
      }
      filled *= values;
    }
  }
  return table;
}

}  // namespace kw::search
