// Tests of describing costs in words.
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

TEST(ReplySettings, WordsMayTakeAQuarterButNotLessThanSomeSentencesNeed) {
  const auto words_of = [](std::int64_t most) {
    return ReplySettings{.max_tokens = most, .temperature = 0.5}.for_words();
  };
  EXPECT_EQ(words_of(3000).max_tokens, 3000);
  EXPECT_EQ(words_of(kReplyTokens).max_tokens, 4096);
  EXPECT_EQ(words_of(64'000).max_tokens, 16'000);
  EXPECT_EQ(words_of(64'000).temperature, 0.5);
}

}  // namespace
}  // namespace kw
