// Tests of source code on a page: colours, and bytes that C++ does not allow.
// SPDX-License-Identifier: Apache-2.0
#include "report/page_code.h"

#include <gmock/gmock.h>

#include "base/nasty_text_for_test.h"
#include "base/text.h"
#include "report/markup_for_test.h"

namespace kw::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kAll = 1000;

TEST(CodeLines, ColourWhatAReaderLooksFor) {
  EXPECT_THAT(
      code_lines("#define B 64  // size\nconst float4* p = f(\"a<b\", 0x1fu);\n", kAll),
      ElementsAre(
          "<span class=\"td\">#define B 64  </span><span class=\"tc\">// size</span>",
          "<span class=\"tk\">const</span> <span class=\"tt\">float4</span>* p = "
          "f(<span class=\"ts\">&quot;a&lt;b&quot;</span>, <span class=\"tn\">0x1fu</span>);"));
  EXPECT_THAT(
      code_lines("// kw: tune B = 1, 2\n__global__ void k();", kAll),
      ElementsAre("<span class=\"td\">// kw: tune B = 1, 2</span>",
                  "<span class=\"tk\">__global__</span> <span class=\"tt\">void</span> k();"));
}

TEST(CodeLines, CloseEveryColourAtTheEndOfItsLine) {
  EXPECT_THAT(
      code_lines("a /* b\nc */ d\n\n", kAll),
      ElementsAre("a <span class=\"tc\">/* b</span>", "<span class=\"tc\">c */</span> d", ""));
  EXPECT_THAT(code_lines("#if A \\\n && B\nx\n", kAll),
              ElementsAre("<span class=\"td\">#if A \\</span>",
                          "<span class=\"td\"> &amp;&amp; B</span>", "x"));
}

TEST(CodeLines, KeepCharactersOfSeveralBytesWhole) {
  EXPECT_THAT(
      code_lines("größe = 1;\nint é;", kAll),
      ElementsAre("größe = <span class=\"tn\">1</span>;", "<span class=\"tt\">int</span> é;"));
}

TEST(CodeLines, CutLinesThatNobodyReads) {
  EXPECT_THAT(code_lines("int abcdefghij;\nx\n", 10),
              ElementsAre("<span class=\"tt\">int</span> abc...", "x"));
}

TEST(CodeLines, AreThoseOfTheTextWhateverItHolds) {
  std::vector<std::string> texts = nasty_texts();
  for (const char* text :
       {"a\r\nb\rc\n", "R\"(\n</pre>\n", "\"\\\n<b>", "/*", "#\\", "\n\n\n", "'<\n"})
    texts.emplace_back(text);
  for (const std::string& text : texts) {
    const auto lines = code_lines(text, kAll);
    EXPECT_THAT(lines, SizeIs(split_lines(text).size())) << sanitise(text, 200);
    for (const std::string& line : lines) {
      const Markup markup = MarkupReader("<!doctype html><p>" + line + "</p>").read();
      ASSERT_THAT(markup.trouble, IsEmpty()) << line;
      for (std::size_t i = 1; i < markup.elements.size(); ++i)
        ASSERT_TRUE(markup.elements[i].is_colour()) << line;
    }
  }
}

TEST(SourceDiff, IsBoundedAndSaysSo) {
  std::string before, after;
  for (int i = 0; i < 30; ++i) before += std::to_string(i) + "\n", after += "x\n";
  const SourceDiff diff = source_diff(before, after, 10);
  EXPECT_THAT(diff.lines, SizeIs(11));
  EXPECT_EQ(diff.words, "30 lines added, 30 removed");
  EXPECT_EQ(std::get<std::string>(diff.lines.back().at("code").value), "… (50 more lines)");
  EXPECT_EQ(source_diff("a\n", "a\n", 10).words, "no line differs");
}

}  // namespace
}  // namespace kw::report
