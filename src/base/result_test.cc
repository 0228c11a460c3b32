// Tests of Result and KW_TRY.
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace kw {
namespace {

Result<std::unique_ptr<int>> make(bool ok) {
  if (!ok) return fail("no int", "here:1:2", Advice::Retry);
  return std::make_unique<int>(7);
}

Result<> check(bool ok) {
  if (!ok) return fail("checked");
  return {};
}

Result<int> chain(bool first, bool second) {
  auto p = KW_TRY(make(first));
  KW_TRY(check(second));
  return *p;
}

TEST(Result, CarriesMoveOnlyValuesAndErrors) {
  EXPECT_EQ(chain(true, true).value(), 7);
  EXPECT_EQ(chain(false, true).error().advice, Advice::Retry);
  EXPECT_EQ(describe(chain(false, true).error()), "here:1:2: no int");
  EXPECT_EQ(describe(chain(true, false).error()), "checked");
}

}  // namespace
}  // namespace kw
