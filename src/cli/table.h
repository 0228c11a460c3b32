// Tables on a terminal: columns as wide as what they hold, and only those that fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kw::cli {

struct Column {
  std::string title;
  bool is_right = false;   ///< Aligned so, as numbers are.
  std::size_t most = 0;    ///< Widest that it may become where the table must fit; 0: any width.
  int rank = 0;            ///< Of those that do not fit the highest go first; 0: always shown.
  bool is_needed = false;  ///< Shown although every cell is empty; others are left out then.
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< A cell for each column, foreign text included.
};

/// Lines of a table whose columns stay in line whatever the cells hold. `width` in columns of a
/// terminal; 0: nothing is cut or left out.
std::string table_text(const Table& table, std::size_t width);

/// What fits on a line of standard output where that is a terminal, else 0.
std::size_t output_width();

}  // namespace kw::cli
