// Tests of finding functions in text that misleads simple readers of code.
// SPDX-License-Identifier: Apache-2.0
#include "task/code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::task {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CodeFunctions, AreThoseThatCompilersSee) {
  EXPECT_THAT(parameters_of("#define OPEN /* a brace */ {\nvoid f(int a) {}\n", "f"),
              ElementsAre(1u));
  EXPECT_THAT(parameters_of("// a comment \\\nvoid f(int a) {}\n", "f"), IsEmpty());
  EXPECT_THAT(parameters_of("auto s = FOOR\"(\"; void f(int a, int b) {} auto t = \")\";", "f"),
              ElementsAre(2u));
  EXPECT_THAT(parameters_of("vo\\\nid f\\\n(int a) <% return; %>\n", "f"), ElementsAre(1u));
}

}  // namespace
}  // namespace kw::task
