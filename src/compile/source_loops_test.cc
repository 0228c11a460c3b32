// Tests of finding the loop that a line belongs to.
// SPDX-License-Identifier: Apache-2.0
#include "compile/source_loops.h"

#include <gtest/gtest.h>

namespace kw::compile {
namespace {

constexpr const char* kSource =
    "void f(int n, float* y) {\n"         // 1
    "  for (int i = 0;\n"                 // 2
    "       i < n;\n"                     // 3
    "       ++i)\n"                       // 4
    "    y[i] = 0;\n"                     // 5
    "  // for (;;) of a comment\n"        // 6
    "  y[0] = 1; y[1] = 1;\n"             // 7
    "#pragma omp parallel for\n"          // 8
    "#pragma GCC ivdep\n"                 // 9
    "  for (int i = 0; i < n; ++i) {}\n"  // 10
    "  do { --n; } while (n > 0);\n"      // 11
    "#pragma omp parallel\n"              // 12
    "  { y[2] = 1; }\n"                   // 13
    "}\n";                                // 14

TEST(SourceLoops, ALineBelongsToTheLoopWhoseHeadCoversIt) {
  for (const int line : {2, 3, 4}) EXPECT_EQ(loop_line(kSource, line), 2) << line;
  EXPECT_EQ(loop_line(kSource, 10), 10);
  EXPECT_EQ(loop_line(kSource, 11), 11);
}

TEST(SourceLoops, ADirectiveMeansTheLoopBehindIt) {
  EXPECT_EQ(loop_line(kSource, 8), 10);
  EXPECT_EQ(loop_line(kSource, 9), 10);
  EXPECT_EQ(loop_line(kSource, 12), 0) << "a block, no loop";
}

TEST(SourceLoops, ADirectiveMayGoOnInTheNextLine) {
  const char* source = "#pragma omp parallel \\\n  for\nfor (;;) {}\n";
  EXPECT_EQ(loop_line(source, 1), 3);
  EXPECT_EQ(loop_line(source, 2), 3);
}

TEST(SourceLoops, PlainLinesAndCommentsHaveNone) {
  for (const int line : {0, 1, 5, 6, 7, 13, 14, 15, -3}) EXPECT_EQ(loop_line(kSource, line), 0);
  EXPECT_EQ(loop_line("", 1), 0);
  EXPECT_EQ(loop_line("for (", 1), 1);
}

}  // namespace
}  // namespace kw::compile
