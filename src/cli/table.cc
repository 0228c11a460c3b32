// Chooses the columns of a table and their widths, and formats its lines.
// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/display_width.h"
#include "base/foreign_text.h"
#include "base/text.h"

namespace kw::cli {
namespace {

constexpr std::size_t kGap = 2;  // between columns

/// A column that is shown: its index in the table, and its width.
struct Laid {
  std::size_t index = 0;
  std::size_t width = 0;
};

std::size_t width_of(const std::vector<Laid>& laid) {
  std::size_t width = laid.empty() ? 0 : (laid.size() - 1) * kGap;
  for (const Laid& column : laid) width += column.width;
  return width;
}

/// Chooses the columns that are not empty, each as wide as its longest cell, but no wider than the
/// column's `most` if the table must fit a terminal.
std::vector<Laid> lay_out(const Table& table, bool must_fit) {
  std::vector<Laid> laid;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    std::size_t widest = 0;
    for (const auto& row : table.rows) widest = std::max(widest, display_width(row[i]));
    if (widest == 0 && !column.is_needed) continue;
    widest = std::max(widest, display_width(column.title));
    if (must_fit && column.most > 0) widest = std::min(widest, column.most);
    laid.push_back({i, widest});
  }
  return laid;
}

void fit(std::vector<Laid>& laid, const Table& table, std::size_t width) {
  constexpr std::size_t kLeast = 8;  // a narrower last column would tell nothing
  while (width_of(laid) > width) {
    const auto last = std::ranges::max_element(
        laid, {}, [&](const Laid& column) { return table.columns[column.index].rank; });
    if (last == laid.end() || table.columns[last->index].rank == 0) break;
    // The beginning of a text in the last column is useful, so that column is shortened if that
    // suffices, and left out otherwise.
    const std::size_t above = width_of(laid) - width;
    if (last + 1 == laid.end() && last->width >= above + kLeast) {
      last->width -= above;
      return;
    }
    laid.erase(last);
  }
}

}  // namespace

std::string table_text(const Table& given, std::size_t width) {
  Table table = given;
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = sanitise_line(cell);
  std::vector<Laid> laid = lay_out(table, width > 0);
  if (width > 0) fit(laid, table, width);
  std::string text;
  const auto add = [&](const auto& cell_of) {
    std::string line;
    for (const Laid& column : laid)
      line +=
          (line.empty() ? "" : std::string(kGap, ' ')) +
          fill_to_width(cell_of(column.index), column.width, table.columns[column.index].is_right);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (width > 0 ? cut_to_width(line, width) : line) + "\n";
  };
  add([&](std::size_t i) -> const std::string& { return table.columns[i].title; });
  for (const auto& row : table.rows)
    add([&](std::size_t i) -> const std::string& { return row[i]; });
  return text;
}

std::size_t output_width() {
  constexpr std::size_t kUsual = 80;  // for a terminal that does not report its width
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  const bool is_told = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_told ? size.ws_col : kUsual;
}

}  // namespace kw::cli
