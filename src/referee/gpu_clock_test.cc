// What the two clocks of a GPU's call, stamps and events, say about it, and when they convict the
// candidate.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error_for_test.h"
#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using testing::GpuRoom;
using testing::Sets;
using testing::timed;
using testing::twice;
using A = testing::Arguments<float>;

/// A correct kernel whose calls take these times by the two clocks.
device::FakeKernel said_to_take(double stamped_ns, double event_ns) {
  return [=](const Sets& sets) {
    twice(A(sets[0]));
    device::CallResult result = device::stamped_at(stamped_ns);
    result.event_ns = event_ns;
    return result;
  };
}

TEST(GpuClocks, AForgedEventIsCheating) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = said_to_take(4e6, 1e5);
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Cheated);
  ASSERT_EQ(e.verdict.seen.kind, EvidenceKind::StampForged);
  const std::vector<double>& numbers = e.verdict.seen.numbers;
  ASSERT_EQ(numbers.size(), 4u);
  EXPECT_LE(numbers[0], numbers[1]) << "calls that disagree, of all calls";
  EXPECT_GT(numbers[0], 0);
  EXPECT_EQ(numbers[2], 4e6) << "by the stamps";
  EXPECT_EQ(numbers[3], 1e5) << "by the driver's events";
}

TEST(GpuClocks, ClocksThatPartOnTheOpponentAccuseNobody) {
  GpuRoom room;
  room.world.objects["slow"].kernel = said_to_take(4e6, 1e5);
  EXPECT_VERDICT(room.judge(), Measure, Unmeasurable);
}

TEST(GpuClocks, EventsMayReadLessByWhatALaunchTakes) {
  GpuRoom room;
  room.world.empty_stamped_ns = 5000;
  room.world.objects["candidate"].kernel = said_to_take(20e3, 17e3);
  room.world.objects["slow"].kernel = said_to_take(30e3, 27e3);
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  for (const Sample& sample : timed(e).samples) {
    EXPECT_EQ(sample.candidate_ns, 17e3);
    EXPECT_EQ(sample.opponent_ns, 27e3);
  }
}

TEST(GpuClocks, WhatIsSubtractedIsKnownBeforeTheCandidateIsThere) {
  GpuRoom room;
  room.world.empty_stamped_ns = 5000;
  room.world.objects["candidate"].kernel = [&room,
                                            call = said_to_take(20e3, 17e3)](const Sets& sets) {
    room.world.empty_stamped_ns = 12e3;  // as if the candidate's code slowed every later empty call
    return call(sets);
  };
  const Evaluation e = room.judge();
  ASSERT_FALSE(timed(e).samples.empty());
  for (const Sample& sample : timed(e).samples) EXPECT_EQ(sample.candidate_ns, 17e3);
}

TEST(GpuClocks, BothLegsAreNetOfTheSame) {
  GpuRoom room;
  room.world.empty_stamped_ns = 5000;
  room.world.objects["candidate"].kernel = [&room,
                                            call = said_to_take(20e3, 17e3)](const Sets& sets) {
    room.world.empty_stamped_ns = 5500;  // what the opponent's player measures when it begins
    return call(sets);
  };
  room.world.objects["slow"].kernel = said_to_take(30e3, 27e3);
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_EQ(timed(e).empty_call_ns, 3000);
  for (const Sample& sample : timed(e).samples) EXPECT_EQ(sample.opponent_ns, 27e3);
}

TEST(GpuClocks, ALaunchAtMostIsSubtracted) {
  GpuRoom room;
  room.world.empty_stamped_ns = 1e9;
  for (const char* object : {"candidate", "slow"})
    room.world.objects[object].kernel = said_to_take(4e6, 4e6 - 10e3);
  const Evaluation e = room.judge();
  EXPECT_EQ(timed(e).empty_call_ns, 10e3);
  ASSERT_FALSE(timed(e).samples.empty());
  for (const Sample& sample : timed(e).samples) EXPECT_EQ(sample.candidate_ns, 4e6 - 10e3);
}

TEST(GpuClocks, EmptyCallsWithoutStampsAreNobodysVerdict) {
  GpuRoom room;
  room.world.empty_stamped_ns = 0;
  const auto e = room.referee->judge(room.request);
  ASSERT_THAT(e, IsErrorAbout(ErrorCode::DeviceFailed, "stamps"));
  EXPECT_EQ(e.error().advice, Advice::Retry);
}

TEST(GpuClocks, AVoidSampleNowAndThenIsTakenAgain) {
  GpuRoom room;
  int calls = 0;
  room.world.objects["candidate"].kernel = [&](const Sets& sets) {
    return said_to_take(++calls % 3 == 0 ? 9e6 : 2e6, 2e6)(sets);
  };
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  for (const Sample& sample : timed(e).samples) EXPECT_EQ(sample.candidate_ns, 2e6);
}

TEST(GpuClocks, TriflesAreUnmeasurable) {
  GpuRoom room;
  EXPECT_VERDICT(room.judge(twice<float>, 9e3), Measure, Unmeasurable);
}

TEST(GpuClocks, ADeviceThatDoesNotStampMeasuresNothing) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = said_to_take(0, 2e6);
  EXPECT_VERDICT(room.judge(), Measure, Unmeasurable);
}

}  // namespace
}  // namespace kw::referee
