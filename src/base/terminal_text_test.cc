// Tests of widths on a terminal, of signs replaced by ASCII, and of locales.
// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kw {
namespace {

TEST(TerminalText, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns_of("kernel – 1.2×…"), 14u);
  EXPECT_EQ(columns_of("核"), 2u);
  EXPECT_EQ(columns_of("한글 ａ"), 7u);
  EXPECT_EQ(columns_of("🚀"), 2u);
  EXPECT_EQ(columns_of(""), 0u);
}

TEST(TerminalText, ABeginningNeverTakesMoreThanItMay) {
  EXPECT_EQ(first_columns("abc", 2), "ab");
  EXPECT_EQ(first_columns("a核b", 2), "a") << "half a character is none";
  EXPECT_EQ(first_columns("a核b", 3), "a核");
  EXPECT_EQ(first_columns("a核b", 80), "a核b");
  EXPECT_EQ(first_columns("abc", 0), "");
}

TEST(TerminalText, AsciiSaysTheSame) {
  EXPECT_EQ(in_ascii("1.2x (0.987–1.067 at 99.5 %), 3 µs … 4.1×"),
            "1.2x (0.987-1.067 at 99.5 %), 3 us ... 4.1x");
  EXPECT_EQ(in_ascii("13.3 ms → 6.7 ms"), "13.3 ms -> 6.7 ms");
  EXPECT_EQ(in_ascii("核.cu"), "\\u6838.cu");
  EXPECT_EQ(in_ascii("plain\n\ttext"), "plain\n\ttext");
}

TEST(TerminalText, TheLocaleSaysWhetherItIsUtf8) {
  const auto with = [](const char* all, const char* lang) {
    all == nullptr ? ::unsetenv("LC_ALL") : ::setenv("LC_ALL", all, 1);
    lang == nullptr ? ::unsetenv("LANG") : ::setenv("LANG", lang, 1);
    ::unsetenv("LC_CTYPE");
    return is_utf8_locale();
  };
  EXPECT_FALSE(with(nullptr, nullptr));
  EXPECT_FALSE(with(nullptr, "C"));
  EXPECT_FALSE(with("POSIX", "C.UTF-8")) << "LC_ALL wins";
  EXPECT_TRUE(with("C.UTF-8", "C"));
  EXPECT_TRUE(with(nullptr, "C.UTF-8"));
  EXPECT_TRUE(with(nullptr, "xx_YY.utf8")) << "not installed, and yet what the terminal has";
  EXPECT_FALSE(with(nullptr, "xx_YY.ISO-8859-1"));
}

}  // namespace
}  // namespace kw
