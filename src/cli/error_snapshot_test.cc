// The words of an error of flags that exclude each other: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "cli/sweep_range.h"

namespace kw::cli {
namespace {

TEST(ErrorSnapshot, Cli) {
  EXPECT_THAT(parse_sweep({"n=64..512", "n=64"}),
              IsErrorShownAs(ErrorCode::Contradiction, "--dim: dim 'n' is given twice"));
}

}  // namespace
}  // namespace kw::cli
