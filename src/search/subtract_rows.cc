// Blocks of a row stay in registers while all other rows pass by; compiled with -O3, which unrolls
// them.
// SPDX-License-Identifier: Apache-2.0
#include "search/subtract_rows.h"

#include <algorithm>
#include <array>

namespace kw::search {
namespace {

template <std::size_t kBlock>
std::size_t subtract_blocks(std::span<double> row, std::span<const double> by,
                            std::span<const std::vector<double>> rows, std::size_t from) {
  for (; from + kBlock <= row.size(); from += kBlock) {
    std::array<double, kBlock> sums;
    std::copy_n(row.data() + from, kBlock, sums.begin());
    for (std::size_t m = 0; m < by.size(); ++m) {
      const double* const other = rows[m].data() + from;
      for (std::size_t j = 0; j < kBlock; ++j) sums[j] -= by[m] * other[j];
    }
    std::copy_n(sums.begin(), kBlock, row.data() + from);
  }
  return from;
}

}  // namespace

void subtract_rows(std::span<double> row, std::span<const double> by,
                   std::span<const std::vector<double>> rows, std::size_t from) {
  from = subtract_blocks<8>(row, by, rows, from);
  subtract_blocks<1>(row, by, rows, from);
}

}  // namespace kw::search
