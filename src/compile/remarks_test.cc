// Tests with the vectorisation report of GCC 12.
// SPDX-License-Identifier: Apache-2.0
#include "compile/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kReport =
    "c.cpp:33:34: missed: couldn't vectorize loop\n"
    "c.cpp:33:34: missed: not vectorized: multiple nested loops.\n"
    "c.cpp:7:41: missed: couldn't vectorize loop\n"
    "/usr/include/c++/12/cmath:222:25: missed: statement clobbers memory: _5 = __builtin_expf "
    "(_4);\n"
    "c.cpp:12:26: missed: couldn't vectorize loop\n"
    "c.cpp:12:26: missed: not vectorized: control flow in loop.\n"
    "c.cpp:11:17: missed: couldn't vectorize loop\n"
    "c.cpp:11:32: missed: not vectorized: no vectype for stmt: _21 = *_20;\n"
    " scalar_type: const float\n"
    "c.cpp:8:28: optimized: loop vectorized using 64 byte vectors\n"
    "c.cpp:8:28: optimized: loop vectorized using 32 byte vectors\n"
    "c.cpp:5:6: missed: statement clobbers memory: __builtin_trap ();\n"
    "c.cpp:6:9: optimized: basic block part vectorized using 64 byte vectors\n"
    "other.cpp:2:1: optimized: loop vectorized using 16 byte vectors\n";

TEST(Remarks, TellsWhichLoopsOfTheMainFileAreVectorised) {
  const auto loops = parse_gcc_remarks(kReport, "c.cpp");
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_EQ(
      loops[0],
      (LoopRemark{7, 41, 0, "the loop calls expf, which has no vector form on this processor"}));
  EXPECT_EQ(loops[1], (LoopRemark{8, 28, 64, ""}));
  EXPECT_EQ(loops[2].line, 11);
  EXPECT_THAT(loops[2].reason, HasSubstr("the compiler found no vector form"));
  EXPECT_THAT(loops[3].reason, HasSubstr("the loop's body branches"));
}

TEST(Remarks, ADetailIsNotAReason) {
  const auto loops = parse_gcc_remarks(
      "c.cpp:37:23: missed: couldn't vectorize loop\n"
      "c.cpp:48:21: missed: failed: evolution of base is not affine.\n"
      "c.cpp:43:35: missed: couldn't vectorize loop\n"
      "c.cpp:48:21: missed: not vectorized: control flow in loop.\n",
      "c.cpp");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0], (LoopRemark{37, 23, 0, ""}));
  EXPECT_THAT(loops[1].reason, HasSubstr("the loop's body branches"));
}

TEST(Remarks, AReasonWithoutWordsOfOursHasNoFullStop) {
  const auto loops = parse_gcc_remarks(
      "c.cpp:2:34: missed: couldn't vectorize loop\n"
      "c.cpp:2:34: missed: not vectorized: multiple exits.\n",
      "c.cpp");
  EXPECT_THAT(loops, ElementsAre(LoopRemark{2, 34, 0, "multiple exits"}));
}

TEST(Remarks, TheCompilersOwnNamesStayOut) {
  const auto reason_of = [](const std::string& missed) {
    const auto loops = parse_gcc_remarks(
        "c.cpp:2:34: missed: couldn't vectorize loop\n"
        "c.cpp:2:34: missed: " +
            missed + "\n",
        "c.cpp");
    return loops.empty() ? "no loop" : loops.front().reason;
  };
  EXPECT_EQ(reason_of("statement clobbers memory: _165 = .MASK_LOAD (_163, 32B, _164);"),
            "one of the loop's operations has no vector form on this processor");
  EXPECT_EQ(reason_of("not vectorized: unsupported data-type: x_12 = .FMA (_1, _2, _3);"),
            "unsupported data-type");
  EXPECT_EQ(reason_of("not vectorized: latch block <bb 7> not empty."), "latch block");
  EXPECT_EQ(reason_of("_165 = .MASK_LOAD (_163, 32B, _164);"), "");
  EXPECT_EQ(reason_of("not vectorized: multiple exits."), "multiple exits");
  EXPECT_EQ(parse_remarks("loop 4:1 scalar it calls .MASK_LOAD, which has no vector form on "
                          "this processor\n"),
            (std::vector{LoopRemark{
                4, 1, 0, "one of the loop's operations has no vector form on this processor"}}));
}

TEST(Remarks, VectorisedOnceIsVectorised) {
  const auto loops = parse_gcc_remarks(
      "c.cpp:3:1: missed: couldn't vectorize loop\n"
      "c.cpp:3:1: missed: not vectorized: control flow in loop.\n"
      "c.cpp:3:1: optimized: loop vectorized using 16 byte vectors\n"
      "c.cpp:3:1: missed: couldn't vectorize loop\n",
      "c.cpp");
  EXPECT_THAT(loops, ElementsAre(LoopRemark{3, 1, 16, ""}));
}

TEST(Remarks, TheKeptFormReadsBack) {
  const auto loops = parse_gcc_remarks(kReport, "c.cpp");
  EXPECT_EQ(parse_remarks(format_remarks(loops)), loops);
}

TEST(Remarks, ForeignTextDoesNoHarm) {
  EXPECT_TRUE(
      parse_gcc_remarks(": missed: \n:: missed: x\na:b: optimized: loop vectorized using", "a")
          .empty());
  EXPECT_TRUE(parse_remarks("loop\nloop x\nloop 1 2:3\nloop 1:2 sideways\n").empty());
}

}  // namespace
}  // namespace kw::compile
