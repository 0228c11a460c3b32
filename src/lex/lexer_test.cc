// Tests of the lexer on text that misleads simpler readers of code.
// SPDX-License-Identifier: Apache-2.0
#include "lex/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::lex {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(const Tokens& tokens) {
  std::vector<std::string> all;
  for (const Token& token : tokens)
    if (!token.is_space()) all.emplace_back(token.text);
  return all;
}
std::vector<std::string> code(std::string_view source) { return texts(tokenize(source)); }
std::vector<std::string> all_code(std::string_view source) { return texts(significant(source)); }

TEST(Lexer, SplitsWordsNumbersLiteralsAndSymbols) {
  EXPECT_THAT(code("x<<=y->z;a<<<1>>>(b)"), ElementsAre("x", "<<=", "y", "->", "z", ";", "a", "<<",
                                                        "<", "1", ">>", ">", "(", "b", ")"));
  EXPECT_THAT(code("1'024u 0xF'f 1.5e-3f .5 1e+2 0x1p-3 a.b"),
              ElementsAre("1'024u", "0xF'f", "1.5e-3f", ".5", "1e+2", "0x1p-3", "a", ".", "b"));
  EXPECT_THAT(
      code("u8'x' L\"w\" '\\'' \"\\\"\" \"s\"_k return'\"';"),
      ElementsAre("u8'x'", "L\"w\"", "'\\''", "\"\\\"\"", "\"s\"", "_k", "return", "'\"'", ";"));
  EXPECT_THAT(code("f(1, '(') + 1'0"), ElementsAre("f", "(", "1", ",", "'('", ")", "+", "1'0"));
}

TEST(Lexer, TellsRawLiterals) {
  EXPECT_THAT(code("a R\"x(\n)\" // )x\" b"), ElementsAre("a", "R\"x(\n)\" // )x\"", "b"));
  EXPECT_THAT(code("FOOR\"(\" b \")\""), ElementsAre("FOOR", "\"(\"", "b", "\")\""));
  for (const char* name : {"$R", "\xC3\xA9R", "\\u00e9R", "1R"})
    EXPECT_THAT(code(std::string(name) + "\"(\" b"), ElementsAre(name, "\"(\"", "b"));
  EXPECT_THAT(code("\"x\"R\"(\" b \")\""), ElementsAre("\"x\"", "R", "\"(\"", "b", "\")\""))
      << "a suffix is no prefix";
  EXPECT_THAT(code("\"x\"\\\nR\"(\" b"), ElementsAre("\"x\"", "R", "\"(\"", "b"));
  EXPECT_THAT(code("R\\\n\"(\\\n)\" b"), ElementsAre("R\"(\\\n)\"", "b"))
      << "nothing is spliced inside";
  EXPECT_FALSE(tokenize("R\"a b(x)a b\"")[0].is_whole);
  EXPECT_FALSE(tokenize("R\"(")[0].is_whole);
}

TEST(Lexer, JoinsContinuedLines) {
  const std::string source = "in\\\nt a\\\r\n = \\\n 1\\\n'0; // x \\\n y\nb <\\\n< c";
  const Tokens tokens = tokenize(source);
  EXPECT_THAT(texts(tokens), ElementsAre("int", "a", "=", "1'0", ";", "b", "<<", "c"));
  EXPECT_EQ(source.substr(tokens[0].offset, tokens[0].end - tokens[0].offset), "in\\\nt");
  EXPECT_EQ(tokens[1].offset, 6u);
  EXPECT_THAT(code("/* *\\\n/ a"), ElementsAre("a"));
  EXPECT_THAT(code("/\\\n/ a\nb"), ElementsAre("b"));
}

TEST(Lexer, FollowsEachCompilersRules) {
  const std::string continued = "// x \\ \t\na\nb";
  EXPECT_THAT(texts(lex(continued)), ElementsAre("b"));
  EXPECT_THAT(texts(lex(continued, Rules::Edg)), ElementsAre("a", "b"));
  EXPECT_THAT(texts(lex("// x\ra")), ElementsAre("a"));
  EXPECT_THAT(texts(lex("// x\ra", Rules::Edg)), ElementsAre());
}

TEST(Lexer, TellsLinesOfThePreprocessor) {
  EXPECT_THAT(code("\xEF\xBB\xBF#define A 1\n/* c */ # /* d */ define B \\\n 2\nx # y\n"),
              ElementsAre("x", "#", "y"));
  EXPECT_THAT(code("#define N /* size */ 5 {\nx"), ElementsAre("x"));
  EXPECT_THAT(code("#define N /* size\n */ 5 {\nx"), ElementsAre("x"));
  EXPECT_THAT(code("#define N R\"(\n)\" y\nx"), ElementsAre("x"));
  EXPECT_THAT(code("%:define A\n?\?=define B"), ElementsAre("?", "?", "=", "define", "B"));
  EXPECT_THAT(code("<% a<:0:> %> b<::c> d<:::e:>"),
              ElementsAre("{", "a", "[", "0", "]", "}", "b", "<", "::", "c", ">", "d", "[",
                          "::", "e", "]"));
}

TEST(Lexer, ReadsHeaderNamesAsTheyStand) {
  EXPECT_THAT(all_code("#include <//etc/passwd>\n#include \"a\\\" /* b"),
              ElementsAre("#", "include", "<//etc/passwd>", "#", "include", "\"a\\\""));
  EXPECT_THAT(all_code("#if __has_include(<a/*b>) && 1 < 2 // c\n"),
              ElementsAre("#", "if", "__has_include", "(", "<a/*b>", ")", "&&", "1", "<", "2"));
  EXPECT_THAT(all_code("#inc\\\nlude <a\\\nb>\n"), ElementsAre("#", "include", "<ab>"));
  EXPECT_THAT(all_code("#define include <a>\n"),
              ElementsAre("#", "define", "include", "<", "a", ">"));
}

TEST(Lexer, ReadsUnfinishedText) {
  EXPECT_THAT(code("a 'b c\nd \"e\\"), ElementsAre("a", "'b c", "d", "\"e\\"));
  EXPECT_THAT(code("a /* b"), ElementsAre("a"));
  EXPECT_THAT(code("\\"), ElementsAre("\\"));
  EXPECT_THAT(code(std::string_view("a\0b", 3)), ElementsAre("a", "b"));
}

TEST(Lexer, DecodesLiterals) {
  const auto value = [](std::string_view text) { return value_of_literal(tokenize(text)[0]); };
  EXPECT_EQ(value("\"a\\n\\x2e\\056\\u002e\\\"\""), "a\n...\"");
  EXPECT_EQ(value("u8R\"x(a\\n)x\""), "a\\n");
  EXPECT_EQ(value("L'\\''"), "'");
  EXPECT_EQ(value("\"\\x{2e}\\o{56}\\u{e9}"), "..\xC3\xA9");
  EXPECT_EQ(value("\""), "");
  EXPECT_EQ(value("R\"("), "");
  EXPECT_EQ(value("\"\\"), "\\");
}

TEST(Lexer, ShowsTokensOnOneLine) {
  const Tokens tokens = tokenize("f (a,\n  b /* c */ + 1)");
  EXPECT_EQ(source_text(tokens, 0, tokens.size()), "f (a, b + 1)");
  EXPECT_EQ(find_closing(tokens, 1), 7u);
}

}  // namespace
}  // namespace kw::lex
