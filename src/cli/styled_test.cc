// Tests of lines cut and folded to a width, with and without colour.
// SPDX-License-Identifier: Apache-2.0
#include "cli/styled.h"

#include <gmock/gmock.h>

#include "base/nasty_text_for_test.h"
#include "base/terminal_text.h"

namespace kw::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> folded_bytes(const std::vector<OwnLine>& lines) {
  std::vector<std::string> all;
  for (const OwnLine& line : lines) {
    EXPECT_EQ(line.columns, columns_of(line.bytes)) << "without colours";
    all.push_back(line.bytes);
  }
  return all;
}

TEST(Styled, WhatFitsIsNotCut) {
  EXPECT_EQ(cut({{"abc"}, {" def"}}, {7}).bytes, "abc def");
  EXPECT_EQ(cut({{"abc"}, {" def"}}, {6}).bytes, "abc d…");
  EXPECT_EQ(cut({{"abc"}, {" def"}}, {6, false, true}).bytes, "abc...");
  EXPECT_EQ(cut({{"abc"}, {" def"}}, {0}).bytes, "abc def") << "no terminal";
  EXPECT_EQ(cut({{"核核核核"}}, {6}).columns, 5u) << "half a character is none";
}

TEST(Styled, ColoursTakeNoColumns) {
  const OwnLine line = cut({{"ok", Tone::Good}, {" then"}}, {7, true});
  EXPECT_EQ(line.bytes, "\033[32mok\033[m then");
  EXPECT_EQ(line.columns, 7u);
  EXPECT_EQ(cut({{"ok", Tone::Good}}, {7, false}).bytes, "ok");
  EXPECT_EQ(fold({{"two words", Tone::Good}}, 0, {20, true}).front().bytes,
            "\033[32mtwo words\033[m")
      << "one change of colour";
}

TEST(Styled, LinesAreBrokenBetweenWords) {
  EXPECT_THAT(folded_bytes(fold({{"one two"}, {" three four"}}, 2, {9})),
              ElementsAre("one two", "  three", "  four"));
  EXPECT_THAT(folded_bytes(fold({{"a longwordwithoutend b"}}, 2, {8})),
              ElementsAre("a", "  longwo", "  rdwith", "  outend", "  b"));
  EXPECT_THAT(folded_bytes(fold({{"one two"}}, 2, {0})), ElementsAre("one two"));
  EXPECT_THAT(folded_bytes(fold({}, 2, {8})), ElementsAre(""));
}

TEST(Styled, NothingForeignCommandsATerminalOrExceedsTheWidth) {
  for (const std::string& text : nasty_texts())
    for (const std::size_t columns : {8u, 79u}) {
      const Look look{columns, false};
      for (const OwnLine& line : fold({{text}}, 4, look)) {
        EXPECT_TRUE(is_shown_safely(line.bytes));
        EXPECT_LE(columns_of(line.bytes), columns);
      }
      EXPECT_TRUE(is_shown_safely(cut({{text}}, look).bytes));
      EXPECT_LE(cut({{text}}, look).columns, columns);
    }
  EXPECT_THAT(cut({{"\033[31mred"}}, {80, true}).bytes, Not(HasSubstr("\033")));
}

TEST(Styled, ATextKeepsItsShapeAndItsPaths) {
  EXPECT_EQ(folded("  shape      1 ms  against 2 ms  2x\nshort\n", {20}),
            "  shape      1 ms\n      against 2 ms\n      2x\nshort\n");
  EXPECT_EQ(folded("kernel: ./runs/a-very-long-name/best\n", {12}),
            "kernel:\n./runs/a-very-long-name/best\n");
  EXPECT_EQ(folded("any line stays as it is\n", {0}), "any line stays as it is\n");
}

TEST(Styled, InANarrowPaneTheNameOfWhoHasTheDeviceComesFirst) {
  const std::string words = "waiting: cpu is in use by kw judge a.cpp, measuring a";
  EXPECT_EQ(short_wait(words, {39}), "cpu busy: kw judge a.cpp, measuring a");
  EXPECT_EQ(short_wait(words, {79}), words);
  EXPECT_EQ(short_wait("measuring a", {39}), "measuring a");
}

TEST(Styled, TimesAreShort) {
  EXPECT_EQ(clock_text(0.4), "0 s");
  EXPECT_EQ(clock_text(99.9), "99 s");
  EXPECT_EQ(clock_text(185), "3m05s");
  EXPECT_EQ(clock_text(3725), "62m05s");
  EXPECT_EQ(clock_text(7384), "2h03m");
  EXPECT_EQ(clock_text(-1), "0 s");
}

}  // namespace
}  // namespace kw::cli
