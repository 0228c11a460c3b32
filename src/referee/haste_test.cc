// Evaluations that end early because somebody asks for it or because their time is over.
// SPDX-License-Identifier: Apache-2.0
#include "referee/haste.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/testing.h"

namespace kw::referee {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Room;

/// A confirmation in which each call takes a tenth of a second on the fake clock, which its time
/// budget is counted by.
struct HastyRoom {
  platform::FakeClock clock;
  int calls = 0;
  int last_call = 1 << 30;
  Room room;
  Referee referee{*room.device, nullptr,
                  Options{.is_hurried = [this] { return calls >= last_call; }}, clock};

  HastyRoom() {
    room.request.measure.purpose = Purpose::Confirm;
    room.world.objects["slow"].kernel = counted(4e6);
    room.world.objects["candidate"].kernel = counted(2e6);
  }
  device::FakeKernel counted(double ns) {
    return [this, twice = testing::kernel<float>(ns, testing::twice<float>)](
               const std::vector<std::vector<device::FakeArgument>>& sets) mutable {
      ++calls;
      clock.advance(std::chrono::milliseconds(100));
      return twice(sets);
    };
  }
  Evaluation judge() { return referee.judge(room.request).value(); }
  double seconds() const { return static_cast<double>(clock.now_ns()) / 1e9; }
};

TEST(Haste, WithoutABoundAConfirmationGoesOn) {
  HastyRoom room;
  EXPECT_TRUE(room.judge().speedup.is_faster);
  EXPECT_GT(room.seconds(), 20);
}

TEST(Haste, PastItsTimeTheFirstIntervalIsGoodEnough) {
  HastyRoom room;
  room.room.request.measure.wall_ns = 5'000'000'000;
  const Evaluation e = room.judge();
  EXPECT_TRUE(e.verdict.is_correct()) << e.verdict.evidence;
  EXPECT_TRUE(e.speedup.is_faster);
  constexpr double kManyCalls = 32 * 0.1;  // which are made before anything is timed
  EXPECT_LT(room.seconds(), 11 + kManyCalls);
  EXPECT_THAT(e.workloads.back().note, HasSubstr("no time is left to measure it"));
}

TEST(Haste, WaitingForTheDeviceIsNoTimeOfTheEvaluation) {
  const auto pairs_after = [](std::chrono::seconds wait) {
    HastyRoom room;
    room.room.request.measure.wall_ns = 5'000'000'000;
    Referee waiting{*room.room.device, nullptr, Options{.before_measuring = [&]() -> Result<> {
                      room.clock.advance(wait);
                      return {};
                    }},
                    room.clock};
    const Evaluation e = waiting.judge(room.room.request).value();
    EXPECT_LT(e.stage_ns.at("measure"), 20e9);
    return e.workloads.back().samples.size();
  };
  EXPECT_EQ(pairs_after(std::chrono::seconds(100)), pairs_after(std::chrono::seconds(0)));
}

TEST(Haste, WithoutAnIntervalItEndsAtTwiceItsTime) {
  HastyRoom room;
  room.room.request.measure.wall_ns = 1'000'000'000;
  const Evaluation e = room.judge();
  EXPECT_EQ(e.verdict.outcome, Outcome::Unmeasurable);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::SpeedupUnsure);
  EXPECT_EQ(e.verdict.seen.subject, "time_limit");
  EXPECT_THAT(e.verdict.seen.numbers, ::testing::ElementsAre(e.speedup.low, e.speedup.high));
  EXPECT_LE(e.speedup.low, e.speedup.high);
  EXPECT_FALSE(e.speedup.is_faster);
  EXPECT_LE(room.seconds(), 4);
}

TEST(Haste, HurriedAnywhereItEndsAfterTheCallInProgress) {
  HastyRoom whole;
  whole.judge();
  for (int last = 1; last < whole.calls; last += 7) {
    SCOPED_TRACE(last);
    HastyRoom room;
    room.last_call = last;
    const Evaluation e = room.judge();
    EXPECT_EQ(e.verdict.stage, Stage::Measure);
    EXPECT_EQ(e.verdict.outcome, Outcome::Unmeasurable);
    EXPECT_THAT(name_of(e.verdict.seen.kind), ::testing::StartsWith("interrupted_"));
    EXPECT_LE(room.calls, last + 12) << "a workload's first calls, or the rest of a pair";
    EXPECT_FALSE(e.speedup.is_faster);
  }
}

TEST(Haste, WhatWasHurriedLeavesTheRefereeUsable) {
  HastyRoom room;
  room.last_call = 30;
  room.judge();
  room.last_call = 1 << 30;
  EXPECT_TRUE(room.judge().speedup.is_faster);
}

}  // namespace
}  // namespace kw::referee
