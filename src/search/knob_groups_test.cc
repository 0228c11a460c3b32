// SPDX-License-Identifier: Apache-2.0
#include "search/knob_groups.h"

#include <gtest/gtest.h>

namespace kw::search {
namespace {

TEST(KnobGroups, GiveProductAndSumOverAllKnobs) {
  std::vector<KnobAxis> knobs;
  for (const std::size_t values : {2, 3, 2, 2, 20, 1, 5, 3}) {
    KnobAxis knob;
    knob.name = "K" + std::to_string(knobs.size());
    for (std::size_t v = 0; v < values; ++v)
      knob.values.push_back(static_cast<std::int64_t>(1 + v));
    knobs.push_back(std::move(knob));
  }
  const KnobSpace space(knobs, {});
  const KnobGrid grid(space);
  std::vector<std::vector<double>> tables;
  for (std::size_t k = 0; k < grid.knobs(); ++k) {
    tables.emplace_back();
    for (std::size_t i = 0; i < grid.values(k) * grid.values(k); ++i)
      tables.back().push_back(1 / (1.0 + static_cast<double>(k + i)));
  }
  const KnobGroups groups(grid);
  EXPECT_LT(groups.count(), grid.knobs());
  const std::uint64_t size = space.size();
  for (const std::uint64_t from : {std::uint64_t{0}, size / 3, size - 1}) {
    const Places here = grid.places_of(from);
    const std::vector<Correlated> table = groups.tabulate(here, tables);
    for (std::uint64_t number = 0; number < size; number += 7) {
      const Places there = grid.places_of(number);
      std::vector<std::uint16_t> codes;
      groups.append_codes(there, codes);
      ASSERT_EQ(codes.size(), groups.count());
      Correlated want;
      for (std::size_t k = 0; k < grid.knobs(); ++k) {
        const double own = tables[k][here[k] * grid.values(k) + there[k]];
        want.product *= own;
        want.sum += own;
      }
      const Correlated got = groups.at(table, codes.data());
      ASSERT_DOUBLE_EQ(got.product, want.product) << number;
      ASSERT_DOUBLE_EQ(got.sum, want.sum) << number;
    }
  }
}

}  // namespace
}  // namespace kw::search
