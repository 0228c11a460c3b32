// Tests of the status line and the reminders while work takes time.
// SPDX-License-Identifier: Apache-2.0
#include "cli/status.h"

#include <gtest/gtest.h>

namespace kw::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Reminders, ComeLessOftenTheLongerItTakes) {
  Reminders reminders;
  reminders.begin(0);
  std::vector<std::int64_t> due;
  for (std::int64_t s = 0; s < 2000; ++s)
    if (reminders.is_due(s * kSecond)) due.push_back(s);
  EXPECT_EQ(due, (std::vector<std::int64_t>{10, 40, 130, 400, 700, 1000, 1300, 1600, 1900}));
}

TEST(Status, SumsUpTheWaitsOfAWorker) {
  platform::FakeClock clock;
  Status status(true, clock);
  status.hear({session::Doing::Working, "checking a"});
  clock.advance(std::chrono::seconds(3));
  EXPECT_EQ(status.activity().words, "checking a");
  EXPECT_EQ(status.activity().seconds, 3);
  status.hear({session::Doing::Waiting, "device cpu is in use by kw judge b.cpp"});
  clock.advance(std::chrono::seconds(4));
  Activity now = status.activity();
  EXPECT_EQ(now.words, "waiting: device cpu is in use by kw judge b.cpp");
  EXPECT_TRUE(now.is_waiting);
  EXPECT_EQ(now.waited_s, 4) << "while it lasts";
  status.hear({session::Doing::Waiting, "device cpu is in use by kw soak c.cpp"});
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(status.activity().seconds, 5) << "for the device, whoever has it";
  status.hear({session::Doing::Waited, "", 5 * kSecond});
  status.hear({session::Doing::Working, "measuring a"});
  now = status.activity();
  EXPECT_FALSE(now.is_waiting);
  EXPECT_EQ(now.waited_s, 5);
  EXPECT_EQ(now.seconds, 0);
}

TEST(Status, TheLineAtTheBottomKeepsItsClockWhereItIsCut) {
  const Activity long_one{"checking a_kernel_with_a_long_name", 12};
  EXPECT_EQ(status_line(long_one, {79}).bytes, "checking a_kernel_with_a_long_name, 12 s");
  EXPECT_EQ(status_line(long_one, {20}).bytes, "checking a_ke…, 12 s");
  EXPECT_EQ(status_line({"waiting: x", 0, true}, {20, true}).bytes, "\033[33mwaiting: x\033[m");
}

}  // namespace
}  // namespace kw::cli
