// A new best kernel on a GPU is timed once more by the referee's own clock.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "platform/clock.h"
#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using testing::GpuRoom;
using ::testing::HasSubstr;
using testing::Sets;
using testing::timed;
using testing::twice;
using A = testing::Arguments<float>;

TEST(GpuRetiming, ANewBestIsTimedOnceMoreByTheRefereesOwnClock) {
  platform::FakeClock clock;  // a clock that moves between two calls
  GpuRoom room({.recovery_pause_ns = 0}, clock);
  const Evaluation e = room.judge();
  ASSERT_EQ(timed(e).retimed.size(), 1u);
  EXPECT_EQ(timed(e).retimed[0].calls, 200);
  EXPECT_FALSE(timed(e).retimed[0].is_paced);
  EXPECT_EQ(timed(e).retimed[0].call_ns, 2e6);
  EXPECT_TRUE(timed(room.judge(twice<float>, 4e6)).retimed.empty()) << "it is no best";
}

TEST(GpuRetiming, StampsThatClaimFarLessThanTheRefereesClockAreNotBelieved) {
  GpuRoom room;
  room.world.objects["candidate"].kernel = [](const Sets& sets) {
    twice(A(sets[0]));
    device::CallResult result = device::stamped_at(2e6);
    result.elapsed_ns += 1e6;
    return result;
  };
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Unmeasurable);
  EXPECT_EQ(e.verdict.seen.kind, EvidenceKind::ClocksDisagree);
  ASSERT_EQ(timed(e).retimed.size(), 1u);
  const Retimed& retimed = timed(e).retimed[0];
  EXPECT_GT(retimed.call_ns, 2.5e6);
  EXPECT_THAT(e.verdict.seen.numbers,
              ::testing::ElementsAre(timed(e).median_ns, retimed.call_ns, retimed.calls));
  EXPECT_LT(timed(e).median_ns, 2.5e6);
}

TEST(GpuRetiming, ADeviceThatSlowsDownWhenItIsNeverIdleIsTimedAtThePairsPace) {
  platform::FakeClock clock;
  GpuRoom room;
  room.referee = std::make_unique<Referee>(*room.device, room.host.get(),
                                           Options{.recovery_pause_ns = 0}, clock);
  int late = 0;
  room.world.objects["candidate"].kernel = [&, last = std::int64_t{-1}](const Sets& sets) mutable {
    twice(A(sets[0]));
    device::CallResult result = device::stamped_at(2e6);
    if (std::exchange(last, clock.now_ns()) == clock.now_ns()) {
      result.elapsed_ns += 1e6;
      ++late;
    }
    return result;
  };
  const Evaluation e = room.judge();
  EXPECT_VERDICT(e, Measure, Correct);
  EXPECT_GT(late, 200);
  ASSERT_EQ(timed(e).retimed.size(), 1u);
  EXPECT_TRUE(timed(e).retimed[0].is_paced);
  EXPECT_EQ(timed(e).retimed[0].calls, 20);
  EXPECT_EQ(timed(e).retimed[0].call_ns, 2e6);
}

}  // namespace
}  // namespace kw::referee
