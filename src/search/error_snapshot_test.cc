// The words of an error of a search's limits: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "search/budget.h"

namespace kw::search {
namespace {

TEST(ErrorSnapshot, Search) {
  EXPECT_THAT(parse_duration("9000h"),
              IsErrorShownAs(ErrorCode::OutOfRange,
                             "duration '9000h' is too long: a year is the most, 8760h"));
}

}  // namespace
}  // namespace kw::search
