// Tests of the loop scanner on the shapes that reference functions take.
// SPDX-License-Identifier: Apache-2.0
#include "propose/loops.h"

#include <gtest/gtest.h>

namespace kw::propose {
namespace {

TEST(Loops, SeesNestingAndInnermost) {
  const auto loops = find_loops(R"cpp(
    // for (a comment)
    void f(int n, float* y) {
      const char* s = "for (;;)";
      for (int t = 0; t < 3; ++t) {
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) y[i * n + j] = 1;
        for (int p = 0; p < 2; ++p) {
          y[p] = 2;
        }
      }
    })cpp");
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_EQ(loops[0].depth, 1);
  EXPECT_FALSE(loops[0].is_innermost);
  EXPECT_EQ(loops[1].depth, 2);
  EXPECT_FALSE(loops[1].is_only_child) << "a second loop follows";
  EXPECT_EQ(loops[2].depth, 3);
  EXPECT_TRUE(loops[2].is_innermost);
  EXPECT_TRUE(loops[2].is_only_child);
  EXPECT_EQ(loops[3].depth, 2);
}

TEST(Loops, FindsSumsButNotArraysOrSpoiledNames) {
  const auto loops = find_loops(R"(
    Real s = 0, q = 0;
    for (int i = 0; i < n; ++i) { s += x[i]; q += s; y[i] += 1; })");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].sums, std::vector<std::string>{"q"}) << "s is read inside the loop";
}

TEST(Loops, SeesWhatCompilersSee) {
  const auto loops = find_loops(
      "const char* s = R\"( \" )\"; void f() { for (int i = 0; i < 1'000'000; ++i) y[i] = 1; }\n"
      "// for (;;) \\\n for (;;) g();\n"
      "#define N /* size */ 5 /* \n */ for (;;)\n"
      "fo\\\nr (;;) h(')', R\"(})\");\n");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_TRUE(loops[0].is_parallel) << "a digit separator begins no character";
}

TEST(Loops, InsertsPragmasOnLinesOfTheirOwn) {
  const std::string source = "void f() {\n  for (;;) g();\n  if (x) for (;;) h();\n}\n";
  const auto loops = find_loops(source);
  ASSERT_EQ(loops.size(), 2u);
  const std::string text =
      insert_lines(source, {{loops[0].offset, "#pragma A"}, {loops[1].offset, "#pragma B"}});
  EXPECT_EQ(text,
            "void f() {\n  #pragma A\n  for (;;) g();\n  if (x) \n#pragma B\nfor (;;) h();\n}\n");
}

TEST(Loops, GivesAnAnswerForUnfinishedText) {
  for (const char* text :
       {"for", "for (", "for (;;", "for (;;) {", "for (;;) for (", "\"for", "/* for"})
    EXPECT_LE(find_loops(text).size(), 2u) << text;
}

}  // namespace
}  // namespace kw::propose
