// What keeps verdicts on a GPU quick: a search gives up near-ties early, and the outputs of a
// baseline that is believed are no longer poisoned.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

using testing::GpuRoom;
using testing::plan_kernel;
using testing::Sets;
using testing::twice;
using A = testing::Arguments<float>;

TEST(Gpu, ASearchLeavesANearTieOfShortCallsAfterAFractionOfASecond) {
  for (const Purpose purpose : {Purpose::Search, Purpose::Judge}) {
    platform::FakeClock clock;
    GpuRoom room({.recovery_pause_ns = 0}, clock);
    room.request.measure.purpose = purpose;
    room.request.measure.noise_floors["large"] = {};
    room.world.objects["slow"].kernel = plan_kernel<float>(12e3, twice<float>);
    room.world.objects["candidate"].kernel = [&clock, calls = 0](const Sets& sets) mutable {
      clock.advance(std::chrono::milliseconds(3));  // the time that a pair takes on the host
      twice(A(sets.at(0)));
      return device::stamped_at(calls++ % 2 == 0 ? 12.3e3 : 11.7e3);
    };
    const Evaluation e = room.judge();
    EXPECT_TRUE(e.verdict.is_correct()) << e.verdict.evidence;
    EXPECT_FALSE(e.speedup.is_faster);
    EXPECT_EQ(e.workloads.at(2).samples.size() < 100, purpose == Purpose::Search)
        << e.workloads.at(2).samples.size();
  }
}

TEST(Gpu, OutputsOfABaselineArePoisonedUntilItIsBelieved) {
  for (const Origin origin : {Origin::Baseline, Origin::Playbook}) {
    GpuRoom room;
    room.request.opponent.origin = origin;
    room.request.measure.purpose = Purpose::Judge;
    room.request.measure.noise_floors["large"] = {};
    int calls = 0, poisoned = 0;
    room.world.objects["slow"].kernel = plan_kernel<float>(4e6, [&](const A& a) {
      ++calls;
      poisoned += std::fabs(a.y[0]) > 0x1p60f;
      twice(a);
    });
    EXPECT_TRUE(room.judge().verdict.is_correct());
    EXPECT_GE(calls, 10);
    EXPECT_EQ(poisoned, origin == Origin::Baseline ? 2 : calls) << "warm-up and the checked call";
  }
}

}  // namespace
}  // namespace kw::referee
