// Two clocks that agree, that disagree now and then, that always disagree, or that are forged.
// SPDX-License-Identifier: Apache-2.0
#include "referee/stamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::referee {
namespace {

using ::testing::ElementsAre;

TEST(StampWatch, AgreesWithinTwoPercentOrAMicrosecond) {
  StampWatch watch;
  EXPECT_TRUE(watch.agree(10'000, 10'999));
  EXPECT_FALSE(watch.agree(10'000, 11'001));
  EXPECT_TRUE(watch.agree(1e6, 1.019e6));
  EXPECT_FALSE(watch.agree(1e6, 0.979e6));
}

TEST(StampWatch, WhatEmptyCallsDifferByIsNoDisagreement) {
  StampWatch watch;
  watch.set_offset(3'000, 32);
  EXPECT_TRUE(watch.agree(13'000, 10'000));
  EXPECT_FALSE(watch.agree(10'000, 10'000));
  watch.set_offset(0, 1'024);
  EXPECT_TRUE(watch.agree(12'000, 10'000));
}

TEST(StampWatch, AForeignProcessNowAndThenIsNoGround) {
  StampWatch watch;
  for (int i = 0; i < 100; ++i) watch.agree(i % 4 == 0 ? 3e6 : 1e6, 1e6);
  EXPECT_FALSE(watch.verdict("calls"));
}

TEST(StampWatch, ClocksThatSteadilyPartALittleAreUnmeasurable) {
  StampWatch watch;
  for (int i = 0; i < 7; ++i) watch.agree(100e3, 104e3);
  EXPECT_FALSE(watch.verdict("calls"));
  watch.agree(100e3, 104e3);
  watch.agree(100e3, 100e3);
  const auto verdict = watch.verdict("calls");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::Unmeasurable);
  EXPECT_EQ(verdict->seen.kind, EvidenceKind::StampsDisagree);
  EXPECT_THAT(verdict->seen.numbers, ElementsAre(8, 9, 100e3, 104e3));
}

TEST(StampWatch, EventsThatClaimAFractionInMostCallsAreForged) {
  for (const double event : {1'900.0, 1e6}) {
    StampWatch watch;
    for (int i = 0; i < 5; ++i) watch.agree(104e3, event);
    EXPECT_FALSE(watch.verdict("calls"));
    watch.agree(104e3, event);
    watch.agree(104e3, 104e3);
    const auto verdict = watch.verdict("calls");
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->outcome, Outcome::Cheated);
    EXPECT_EQ(verdict->seen.kind, EvidenceKind::StampForged);
    EXPECT_THAT(verdict->seen.numbers, ElementsAre(6, 7, 104e3, event));
  }
}

TEST(StampWatch, MissingStampsAreVoidAndAccuseNobody) {
  StampWatch watch;
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(watch.agree(0, 1e6));
  const auto verdict = watch.verdict("calls");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::Unmeasurable);
  EXPECT_THAT(verdict->seen.numbers, ElementsAre(20, 20)) << "no stamp, no times";
}

TEST(StampWatch, TriflesAreNeverCalledForged) {
  StampWatch watch;
  for (int i = 0; i < 50; ++i) watch.agree(1500, 4000);
  EXPECT_EQ(watch.verdict("calls")->outcome, Outcome::Unmeasurable);
}

}  // namespace
}  // namespace kw::referee
