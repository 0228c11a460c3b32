// Tests of the widths of texts on a terminal, and of cutting texts to a width.
// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("核心"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\U0001F680"), 2u);
}

TEST(DisplayWidth, CutsWithinTheWidthAndNeverACharacter) {
  EXPECT_EQ(cut_to_width("abc", 3), "abc");
  EXPECT_EQ(cut_to_width("abcd", 3), "ab…");
  EXPECT_EQ(cut_to_width("größer", 4), "grö…");
  EXPECT_EQ(cut_to_width("核心核心", 4), "核…") << "half a character does not fit";
  EXPECT_EQ(cut_to_width("e\u0301e\u0301e", 2), "e\u0301…");
  EXPECT_EQ(cut_to_width("abc", 1), "…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
  EXPECT_EQ(cut_to_width("\xff\xe6\xa0", 3), "\xff\xe6\xa0") << "what is no UTF-8 is borne";
}

TEST(DisplayWidth, WrapsAtBlanks) {
  EXPECT_EQ(wrap_to_width("one two", 7), "one two");
  EXPECT_EQ(wrap_to_width("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrap_to_width("one two three four", 10, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrap_to_width("abcdefgh", 3), "abc\ndef\ngh");
  EXPECT_EQ(wrap_to_width("核心核心", 5), "核心\n核心");
  EXPECT_EQ(wrap_to_width("核心", 1, 3), "核\n   心") << "too narrow for any";
  EXPECT_EQ(wrap_to_width("", 3), "");
}

TEST(DisplayWidth, FillsToTheSameWidthWhateverTheText) {
  for (const char* text : {"", "a", "größe", "核心核心核心", "e\u0301e\u0301", "abcdefghijk"})
    for (const std::size_t columns : {0u, 1u, 2u, 7u, 20u})
      for (const bool is_right : {false, true})
        EXPECT_EQ(display_width(fill_to_width(text, columns, is_right)), columns) << text;
  EXPECT_EQ(fill_to_width("ab", 4), "ab  ");
  EXPECT_EQ(fill_to_width("ab", 4, true), "  ab");
}

}  // namespace
}  // namespace kw
