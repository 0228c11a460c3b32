// Tests of text tools.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "base/shell_word.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace kw {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split_lines("a\r\n\nb\n"), (Parts{"a", "", "b"}));
  EXPECT_EQ(split_lines(""), Parts{});
}

TEST(Text, KnowsWhatCanNameACFunction) {
  for (const auto* good : {"a", "x1", "_x", "BLOCK", "saxpy"})
    EXPECT_TRUE(is_usable_identifier(good));
  for (const auto* bad : {"", "1x", "a-b", "int", "restrict", "_X", "a__b", "sch\xc3\xb6n", "a b"})
    EXPECT_FALSE(is_usable_identifier(bad)) << bad;
}

TEST(Text, MeasuresEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("Shape", "shape"), 0u);
  EXPECT_EQ(edit_distance("tnesor", "tensor"), 1u);
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> keys = {"shape", "role", "pitch", "align", "n"};
  EXPECT_EQ(nearest("shpae", keys), "shape");
  EXPECT_EQ(nearest("rol", keys), "role");
  EXPECT_EQ(nearest("m", keys), std::nullopt);
  EXPECT_EQ(nearest("colour", keys), std::nullopt);
  EXPECT_EQ(nearest(std::string(1 << 20, 'x'), keys), std::nullopt);
  EXPECT_EQ(nearest("--modle", std::vector<std::string>{"--mode", "--model"}), "--model");
  EXPECT_EQ(nearest("--modle", std::vector<std::string>{"--model", "--mode"}), "--model");
  EXPECT_EQ(nearest("gpt-41", std::vector<std::string>{"gpt-4.1", "gpt-4o"}), "gpt-4.1");
  EXPECT_EQ(nearest("ali", keys), "align") << "the beginning of one";
  EXPECT_EQ(nearest("al", keys), std::nullopt);
  EXPECT_EQ(nearest("hal", std::vector<std::string>{"halving", "halving_climb"}), std::nullopt);
  EXPECT_EQ(suggestion("aling", keys), " (did you mean 'align'?)");
  EXPECT_EQ(suggestion("zebra", keys), "");
}

TEST(Text, FindsPlacesInCodePoints) {
  const std::string_view text = "ab\nc\xc3\xb6x\n";
  EXPECT_EQ(position_of(text, 0), (Position{1, 1}));
  EXPECT_EQ(position_of(text, 2), (Position{1, 3}));
  EXPECT_EQ(position_of(text, 6), (Position{2, 3}));
  EXPECT_EQ(position_of(text, 999), (Position{3, 1}));
  for (const std::size_t offset : {0, 1, 3, 4, 6})
    EXPECT_EQ(offset_of(text, position_of(text, offset)), offset);
  EXPECT_EQ(offset_of(text, {2, 99}), 7u);
  EXPECT_EQ(offset_of(text, {99, 1}), text.size());
}

TEST(Text, DrawsACaretUnderThePlace) {
  EXPECT_EQ(render_frame("int a;\n\tint \xc3\xb6 = b;\n", 17, "unknown name"),
            "2 |  int \xc3\xb6 = b;\n"
            "  |          ^ unknown name");
  EXPECT_EQ(render_frame("", 5, "empty"), "1 | \n  | ^ empty");
  std::string longer(1001, 'a');
  longer[500] = '!';
  const auto frame = render_frame(longer, 500, "here");
  EXPECT_LT(frame.size(), 260u);
  const auto lines = split_lines(frame);
  EXPECT_EQ(lines[0][lines[1].find('^')], '!');
}

TEST(Text, FormatsFigures) {
  EXPECT_EQ(format_si(0.00235, "s"), "2.35 ms");
  EXPECT_EQ(format_si(4.12e10, "B/s"), "41.2 GB/s");
  EXPECT_EQ(format_si(0, "s"), "0.00 s");
  EXPECT_EQ(format_si(-1500, "W"), "-1.50 kW");
  EXPECT_EQ(format_si(999.6, "s"), "1.00 ks");
  EXPECT_EQ(format_si(123, "s"), "123 s");
  EXPECT_EQ(format_ns(1234567), "1.23 ms");
  EXPECT_EQ(format_ns(850), "850 ns");
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(300u << 20), "300 MiB");
  EXPECT_EQ(format_bytes(1ull << 40), "1 TiB");
}

TEST(Text, EqualCasesDifferInNumbersAlone) {
  EXPECT_EQ(without_numbers("line 12: 7 of 90 in x2"), "line N: N of N in x2");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(Text, FieldsOfCsvAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_field("plain words"), "plain words");
  EXPECT_EQ(csv_field("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"");
  EXPECT_EQ(csv_field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_field("-1.5e+3"), "-1.5e+3");
  EXPECT_EQ(csv_field("\x1b[2J"), "\\x1b[2J");
}

TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("runs/softmax-1/mine.cu"), "runs/softmax-1/mine.cu");
  EXPECT_EQ(shell_word("a b.cu"), "'a b.cu'");
  EXPECT_EQ(shell_word("x;rm -r $HOME.cu"), "'x;rm -r $HOME.cu'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace kw
