// Tables on a terminal: columns as wide as their content; columns that do not fit are left out.
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
  /// If the table does not fit, the columns of the highest rank are left out first; rank 0 is
  /// always shown.
  int rank = 0;
  /// Whether the column is shown even if all of its cells are empty.
  bool is_needed = false;
};

struct Table {
  std::vector<Column> columns;
  /// Cells by row, one for each column; text from untrusted sources is allowed.
  std::vector<std::vector<std::string>> rows;
};

/// Formats a table, with aligned columns whatever the cells contain. `width` is the terminal's
/// columns; 0: nothing is cut or left out.
std::string table_text(const Table& table, std::size_t width);

/// The width in columns of standard output if it is a terminal, else 0.
std::size_t output_width();

}  // namespace kw::cli
