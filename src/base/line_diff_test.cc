// Tests of the lines in which two texts differ.
// SPDX-License-Identifier: Apache-2.0
#include "base/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw {
namespace {

using ::testing::HasSubstr;

TEST(LineDiff, ShowsChangesWithTheirSurroundings) {
  EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "  3\n  4\n- 5\n+ five\n  6\n  7\n");
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n2\n3\n4\n5\n6\n7\n9\n"),
            "- 1\n+ 0\n  2\n  3\n…\n  6\n  7\n- 8\n+ 9\n");
  EXPECT_EQ(line_diff("", "a\n"), "+ a\n");
  EXPECT_THAT(line_diff("a\nb\nc\nd\n", "", 2), HasSubstr("- b\n… (more than 2 lines differ)\n"));
}

TEST(CompareTexts, NamesTheLinesOfBothTexts) {
  using Kind = DiffLine::Kind;
  const TextDiff diff = compare_texts("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n9\n");
  std::string seen;
  for (const DiffLine& line : diff.lines) {
    const char mark = line.kind == Kind::Same      ? ' '
                      : line.kind == Kind::Removed ? '-'
                      : line.kind == Kind::Added   ? '+'
                                                   : '~';
    seen += mark + std::to_string(line.before) + "/" + std::to_string(line.after) + " ";
  }
  EXPECT_EQ(seen, " 2/2  3/3 -4/4 +5/4  5/5  6/6 -7/7  8/7 ");
  EXPECT_FALSE(diff.is_rewritten);
  EXPECT_TRUE(compare_texts("a\n", "a\n").lines.empty());
}

TEST(CompareTexts, CallsLongChangesRewritten) {
  std::string before, after;
  for (int i = 0; i < 1501; ++i) before += std::to_string(i) + "\n", after += "x\n";
  const TextDiff diff = compare_texts(before, after);
  EXPECT_TRUE(diff.is_rewritten);
  EXPECT_TRUE(diff.lines.empty());
}

}  // namespace
}  // namespace kw
