// Tables on a terminal: columns as wide as their content, of which only those that fit are shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kw::cli {

struct Column {
  std::string title;
  bool is_right = false;  ///< Whether cells are aligned to the right, as numbers are.
  std::size_t most = 0;   ///< The greatest width where the table must fit; 0: any width.
  /// Columns of the highest rank are left out first where the table does not fit; 0: always shown.
  int rank = 0;
  /// Whether the column is shown even if all cells are empty; other columns are left out then.
  bool is_needed = false;
};

struct Table {
  std::vector<Column> columns;
  /// One cell for each column; foreign text is allowed.
  std::vector<std::vector<std::string>> rows;
};

/// The lines of a table, aligned whatever the cells contain. `width` is the terminal's columns; 0:
/// nothing is cut or left out.
std::string table_text(const Table& table, std::size_t width);

/// The width of a line on standard output where that is a terminal, else 0.
std::size_t output_width();

}  // namespace kw::cli
