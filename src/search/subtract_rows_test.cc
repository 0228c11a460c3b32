// SPDX-License-Identifier: Apache-2.0
#include "search/subtract_rows.h"

#include <gtest/gtest.h>

namespace kw::search {
namespace {

TEST(SubtractRows, GivesTheBitsOfThePlainLoop) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 40U, 61U})
    for (const std::size_t from : {0U, 3U, 8U}) {
      if (from > count) continue;
      std::vector<std::vector<double>> rows(5);
      for (std::size_t m = 0; m < rows.size(); ++m)
        for (std::size_t j = 0; j < count; ++j)
          rows[m].push_back(1.0 / static_cast<double>(3 + m + 7 * j));
      const std::vector<double> by = {0.3, -1.7, 2.9, 1e-3, 11};
      std::vector<double> row(count, 0.1);
      std::vector<double> want = row;
      for (std::size_t m = 0; m < rows.size(); ++m)
        for (std::size_t j = from; j < count; ++j) want[j] -= by[m] * rows[m][j];
      subtract_rows(row, by, rows, from);
      EXPECT_EQ(row, want) << count << " from " << from;
    }
}

}  // namespace
}  // namespace kw::search
