// What is said of costs.
// SPDX-License-Identifier: Apache-2.0
#include "record/exchange.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

TEST(Spending, WhatHasNoPriceIsNotSaidToCostNothing) {
  EXPECT_EQ(dollars_text({0.08, 4800, 4, 0}), "$0.0800");
  EXPECT_EQ(dollars_text({0, 4800, 4, 4}), "unknown");
  EXPECT_EQ(dollars_text({0.02, 4800, 4, 3}), ">$0.0200");
  EXPECT_EQ(dollars_text({}), "$0.0000");
}

}  // namespace
}  // namespace kw
