// Tests that columns stay aligned, whatever the cells contain and however narrow the terminal is.
// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gmock/gmock.h>

#include "base/display_width.h"
#include "base/text.h"

namespace kw::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Table runs() {
  Table table;
  table.columns = {{.title = "run", .most = 12, .is_needed = true},
                   {.title = "speedup", .is_right = true, .is_needed = true},
                   {.title = "label", .most = 10, .rank = 1},
                   {.title = "calls", .is_right = true, .rank = 3},
                   {.title = "stopped by", .rank = 2}};
  table.rows = {{"a", "1.000x", "", "", "attempts: 3 of 3 made"},
                {"a-name-that-is-far-too-long-1", "12.500x", "核心核心核心核心", "", "interrupt"}};
  return table;
}

std::vector<std::string> lines_of_table(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  return lines;
}

TEST(Table, ShowsEverythingWhereNoTerminalBoundsIt) {
  const std::string text = table_text(runs(), 0);
  EXPECT_THAT(text, HasSubstr("a-name-that-is-far-too-long-1"));
  EXPECT_THAT(text, HasSubstr("核心核心核心核心"));
  EXPECT_THAT(text, Not(HasSubstr("calls"))) << "no run has any";
}

TEST(Table, EveryCellStandsBelowItsTitle) {
  for (const std::size_t width : {0u, 100u, 60u}) {
    const auto lines = lines_of_table(table_text(runs(), width));
    ASSERT_EQ(lines.size(), 3u);
    const auto end_of = [&](std::size_t line, const char* word) {
      return display_width(lines[line].substr(0, lines[line].find(word))) + display_width(word);
    };
    EXPECT_EQ(end_of(0, "speedup"), end_of(1, "1.000x"));
    EXPECT_EQ(end_of(0, "speedup"), end_of(2, "12.500x"));
    EXPECT_EQ(end_of(0, "label") - 5, end_of(2, "核") - 2);
    if (width > 0) {
      EXPECT_THAT(lines[2], HasSubstr("a-name-that…"));
    }
  }
}

TEST(Table, NoLineIsWiderThanTheTerminal) {
  for (std::size_t width = 1; width < 120; ++width)
    for (const std::string& line : lines_of_table(table_text(runs(), width)))
      EXPECT_LE(display_width(line), width) << line;
  EXPECT_THAT(table_text(runs(), 26), Not(HasSubstr("stopped")));
  EXPECT_THAT(table_text(runs(), 26), HasSubstr("12.500x")) << "what matters stays";
}

TEST(Table, WhatCommandsATerminalIsShownAndHidesNothing) {
  Table table = runs();
  table.rows[0][2] = "x\x1b[2Ky\nz";
  EXPECT_THAT(table_text(table, 0), HasSubstr("x\\x1b[2Ky\\nz"));
}

}  // namespace
}  // namespace kw::cli
