// The inner loop of a triangular solve for many right-hand sides at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace kw::search {

/// For each j >= `from`: row[j] -= sum over m of by[m] * rows[m][j], in the order of m, so that the
/// bits do not depend on the length of the row. `rows` are as long as `row`. Takes a quarter of a
/// nanosecond for each product.
void subtract_rows(std::span<double> row, std::span<const double> by,
                   std::span<const std::vector<double>> rows, std::size_t from);

}  // namespace kw::search
