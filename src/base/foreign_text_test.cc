// Tests of how foreign text is shown.
// SPDX-License-Identifier: Apache-2.0
#include "base/foreign_text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/nasty_text_for_test.h"
#include "base/text.h"

namespace kw {
namespace {

TEST(ForeignText, ControlsAreShownAsEscapes) {
  EXPECT_EQ(sanitise("a\x1b[31m\nb\t\x7f"), "a\\x1b[31m\nb\t\\x7f");
  EXPECT_EQ(sanitise(std::string_view("\0\a\b\v\f", 5)), "\\x00\\x07\\x08\\x0b\\x0c");
  EXPECT_EQ(sanitise("\x1b]8;;http://x\x1b\\"), "\\x1b]8;;http://x\\x1b\\");
  EXPECT_EQ(sanitise("\xc2\x9b"
                     "31m"),
            "\\u009B31m")
      << "CSI in one character";
}

TEST(ForeignText, CarriageReturnsCannotGoBackToTheStartOfALine) {
  EXPECT_EQ(sanitise("failed\rcorrect\r\nnext\r"), "failed\\x0dcorrect\nnext\\x0d");
}

TEST(ForeignText, BytesThatAreNoCharactersAreShown) {
  EXPECT_EQ(sanitise("\xc3\xb6 \xff \xc0\xaf \xed\xa0\x80 \xe2\x82"),
            "\xc3\xb6 \\xff \\xc0\\xaf \\xed\\xa0\\x80 \\xe2\\x82");
  EXPECT_EQ(sanitise("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(ForeignText, HiddenAndTurningCharactersAreShown) {
  EXPECT_EQ(sanitise("a\xe2\x80\xae!"), "a\\u202E!");
  EXPECT_EQ(sanitise("\xe2\x81\xa6\xe2\x81\xa9"), "\\u2066\\u2069");
  EXPECT_EQ(sanitise("\xe2\x80\x8b\xef\xbb\xbf"), "\\u200B\\uFEFF");
  EXPECT_EQ(sanitise("\xe2\x80\xa8"), "\\u2028") << "a line's end to JavaScript";
  EXPECT_EQ(sanitise("\xf3\xa0\x81\x81"), "\\uDB40\\uDC41") << "a tag: text that nobody sees";
  EXPECT_EQ(sanitise("\xef\xbf\xbe"), "\\uFFFE");
  EXPECT_EQ(sanitise("\xce\xb1 \xc3\xa9 \xe2\x80\x93 \xe2\x86\x92 \xf0\x9f\x98\x80 \xd7\xa9"),
            "\xce\xb1 \xc3\xa9 \xe2\x80\x93 \xe2\x86\x92 \xf0\x9f\x98\x80 \xd7\xa9")
      << "people write these";
}

TEST(ForeignText, OnOneLineThereIsOneLine) {
  EXPECT_EQ(sanitise_line("a\n# new instructions\r\n\tb"), "a\\n# new instructions\\n b");
}

TEST(ForeignText, IsCutWhereItIsTooLong) {
  EXPECT_EQ(sanitise("abcdefgh", 6), "abc...");
  EXPECT_EQ(sanitise("\xc3\xb6\xc3\xb6\xc3\xb6", 5), "\xc3\xb6...");
  EXPECT_EQ(sanitise("abcdef", 6), "abcdef");
  EXPECT_EQ(sanitise(std::string(10'000'000, '\x1b'), 100).size(), 100u);
}

TEST(ForeignText, NothingNastyComesThrough) {
  for (const std::string& text : nasty_texts()) {
    EXPECT_TRUE(is_shown_safely(sanitise(text))) << sanitise(text, 80);
    EXPECT_LE(sanitise(text, 1000).size(), 1000u);
    EXPECT_TRUE(is_shown_safely(sanitise_line(text)));
    EXPECT_EQ(sanitise_line(text).find('\n'), std::string::npos);
    EXPECT_TRUE(is_shown_safely(csv_field(text)));
    const Json json = {{text, text}};
    const std::string dumped = dump_json(json);
    EXPECT_TRUE(is_shown_safely(dumped)) << sanitise(text, 80);
    EXPECT_TRUE(parse_json(dumped, "dumped").has_value());
  }
}

TEST(ForeignText, JsonKeepsItsMeaning) {
  const std::string text = "a\xe2\x80\xae\xf3\xa0\x81\x81\x7f\xc2\x9bz\xc3\xb6";
  const std::string dumped = dump_json(Json(text));
  EXPECT_EQ(dumped, "\"a\\u202E\\uDB40\\uDC41\\u007F\\u009Bz\xc3\xb6\"");
  EXPECT_EQ(parse_json(dumped, "dumped")->get<std::string>(), text);
}

TEST(ForeignText, WhatIsNearlyJsonBecomesJson) {
  const std::string raw = "[{\"message\": \"a\x1b[31m \xff \\\\x1b \\u202E\"}]";
  const auto read = parse_json(with_escapes(raw), "raw");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->front()["message"], "a\x1b[31m \\xff \\x1b \xe2\x80\xae");
}

RC_GTEST_PROP(ForeignTextProperty, IsPlainStableAndShort, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("\x1b", "\r", "\n", "a", "\xe2", "\x80", "\xae", "\xe2\x80\xae",
                                    "\xf3\xa0\x81\x81", "\xc2\x9b", "\\", "\xff", "`"));
  const std::string text = join(pieces, "");
  const auto limit = *rc::gen::inRange<std::size_t>(0, 40);
  const auto safe = sanitise(text, limit);
  RC_ASSERT(safe.size() <= limit);
  RC_ASSERT(is_shown_safely(safe));
  RC_ASSERT(sanitise(safe, limit) == safe);
  RC_ASSERT(sanitise_line(text, limit).find('\n') == std::string::npos);
  RC_ASSERT(is_shown_safely(sanitise_line(text, limit)));
}

RC_GTEST_PROP(ForeignTextProperty, IsTheSameInPieces, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "\x1b[", "\r", "\n", "a", "\xe2", "\x80", "\xae", "\xf0\x9f", "\x98\x80", "\xc2", "\xff"));
  ShownStream stream;
  std::string shown;
  for (const std::string& piece : pieces) shown += stream.show(piece);
  RC_ASSERT(shown + stream.rest() == sanitise(join(pieces, "")));
}

}  // namespace
}  // namespace kw
