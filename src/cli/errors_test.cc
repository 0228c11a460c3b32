// Tests of the exit codes of errors.
// SPDX-License-Identifier: Apache-2.0
#include "cli/errors.h"

#include <gtest/gtest.h>

namespace kw::cli {
namespace {

TEST(CodeOf, IsUsageForInputAloneWhateverIsAdvised) {
  for (const Advice advice : {Advice::Retry, Advice::GiveUp, Advice::Stop}) {
    EXPECT_EQ(code_of({"no such program on PATH", "g++", advice}), kEnvironment);
    EXPECT_EQ(code_of(as_input(Result<>(fail("no such file", "x.cpp", advice))).error()), kUsage);
  }
  EXPECT_EQ(code_of(fail_input("no run of this name").error()), kUsage);
}

}  // namespace
}  // namespace kw::cli
