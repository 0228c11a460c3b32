// Tests with attributes in dumps as GCC 12 writes them.
// SPDX-License-Identifier: Apache-2.0
#include "compile/function_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

TEST(FunctionAttributes, TellsWhoseArithmeticIsItsOwn) {
  const auto marks = arithmetic_marks(
      "__attribute__((optimize (\"Ofast,unroll-loops\")))\n"
      "void f (int n)\n"
      "{\n"
      "  a = \"__attribute__((optimize (\\\"Ofast\\\")))\";\n"
      "}\n\n"
      "void plain (int n)\n{\n}\n"
      "__attribute__((optimize (3)))\nvoid g ()\n"
      "__attribute__((noinline, artificial, optimize (\"O3\", \"no-unroll-loops\"), target "
      "(\"avx2\")))\nvoid h ()\n"
      "__attribute__((nonnull (1, 2), __optimize__ (\"-ffast-math\")))\nstruct P k (float *)\n"
      "__attribute__((annotate (\"optimize (x)\")))\nvoid m ()\n");
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].what, "\"Ofast,unroll-loops\"");
  EXPECT_EQ(marks[0].where, "void f (int n)");
  EXPECT_EQ(marks[1].where, "struct P k (float *)");
}

TEST(FunctionAttributes, KnowsWhichOptionsChangeNoValue) {
  for (const char* option :
       {"O0", "O3", "Os", "Og", "3", "unroll-loops", "funroll-loops", "no-tree-vectorize",
        "-fno-inline", "fp-contract=off", "align-loops=32"})
    EXPECT_TRUE(changes_no_value(option)) << option;
  for (const char* option :
       {"Ofast", "fast-math", "-ffast-math", "fast", "associative-math", "finite-math-only",
        "no-signed-zeros", "reciprocal-math", "unsafe-math-optimizations", "cx-limited-range",
        "float-store", "single-precision-constant", "excess-precision=fast", "rounding-math"})
    EXPECT_FALSE(changes_no_value(option)) << option;
}

TEST(FunctionAttributes, SurvivesWhatIsCutShort) {
  const std::string whole =
      "__attribute__((noinline, optimize (\"a\\\"b\", \"fast-math\")))\nvoid f ()\n";
  for (std::size_t i = 0; i <= whole.size(); ++i)
    (void)arithmetic_marks(std::string_view(whole).substr(0, i));
  EXPECT_EQ(arithmetic_marks(whole).size(), 1u);
}

}  // namespace
}  // namespace kw::compile
