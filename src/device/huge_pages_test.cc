// Tests of when the account of costs allows asking for huge pages.
// SPDX-License-Identifier: Apache-2.0
#include "device/huge_pages.h"

#include <gtest/gtest.h>

namespace kw::device {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(HugePages, AreAskedForWhileTheyAreQuick) {
  HugePages pages(kMs, 60 * kMs, 0.5);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(pages.are_affordable());
    pages.took(kMs / 5);
  }
}

TEST(HugePages, AreGivenUpAfterAFewSlowOnes) {
  HugePages pages(kMs, 60 * kMs, 0.5);
  int asked = 0;
  while (pages.are_affordable() && asked < 100) pages.took(5 * kMs), ++asked;
  EXPECT_LE(asked, 4);
}

TEST(HugePages, AreAskedForAgainOnceSmallOnesHaveCostAsMuch) {
  HugePages pages(kMs, 60 * kMs, 0.5);
  while (pages.are_affordable()) pages.took(5 * kMs);
  std::int64_t small_ns = 0;
  while (!pages.are_affordable() && small_ns < 1000 * kMs) {
    pages.went_without(kMs);
    small_ns += kMs;
  }
  EXPECT_LE(small_ns, 30 * kMs);
}

TEST(HugePages, CostAMachineThatHasNoneALittle) {
  HugePages pages(kMs, 60 * kMs, 0.5);
  std::int64_t small_ns = 0, asking_ns = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (pages.are_affordable()) {
      pages.took(5 * kMs);
      asking_ns += 5 * kMs;
    }
    pages.went_without(kMs);
    small_ns += kMs;
  }
  EXPECT_LT(asking_ns, small_ns / 20);
}

}  // namespace
}  // namespace kw::device
