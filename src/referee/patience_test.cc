// A user who waits long for a reference is told so, and the wait has a limit.
// SPDX-License-Identifier: Apache-2.0
#include "referee/patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/error_for_test.h"
#include "referee/testing.h"
#include "referee/truth.h"

namespace kw::referee {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using testing::Room;

TEST(Patience, ASlowReferenceIsNamedOnceWhileItComputes) {
  std::vector<std::string> told;
  std::atomic<int> times = 0;
  Room room({.patience = {.tell =
                              [&](const std::string& what) {
                                told.push_back(what);
                                ++times;
                              },
                          .after_ns = 1}});
  room.request.until = Stage::Run;
  room.world.objects["f64"].kernel =
      testing::kernel<double>(1e6, [&, calls = 0](const Arguments<double>& a) mutable {
        testing::twice(a);
        if (calls++ > 0) return;
        // The kernel returns only once the wait was reported.
        while (times == 0) std::this_thread::yield();
      });
  EXPECT_VERDICT(room.judge(), Run, Correct);
  ASSERT_FALSE(told.empty());
  EXPECT_THAT(told.front(), HasSubstr("the reference of task 'twice' (reference_f64) on workload "
                                      "'tiny', which may take 60 s"));
}

TEST(Patience, NothingIsSaidOfAQuickOne) {
  int times = 0;
  {
    const Vigil vigil({.tell = [&](const std::string&) { ++times; }, .after_ns = 1LL << 50}, "");
  }
  EXPECT_EQ(times, 0);
}

TEST(Patience, OnlyTimedWorkloadsMayTakeMinutes) {
  const TruthMaker maker{.timeout_ns = kReferenceTimeoutNs};
  Workload workload;
  for (const Group group : {Group::Show, Group::Check}) {
    workload.group = group;
    EXPECT_EQ(maker.limit_of(workload), kSmallTimeoutNs);
  }
  workload.group = Group::Time;
  EXPECT_EQ(maker.limit_of(workload), kReferenceTimeoutNs);
}

TEST(Patience, AHangSaysHowLongItWasWaitedFor) {
  Room room;
  room.world.objects["f64"].kernel = [](const auto&) {
    return device::CallResult{.fate = device::Fate::TimedOut};
  };
  const auto judged = room.referee.judge(room.request);
  ASSERT_THAT(judged, IsErrorAbout(ErrorCode::TaskAtFault, "call_timed_out"));
  EXPECT_THAT(judged, ::testing::Not(IsErrorWithout("60 s")));
  EXPECT_TRUE(judged.error().is_input);
}

}  // namespace
}  // namespace kw::referee
