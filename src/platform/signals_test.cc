// Tests of SignalGuard and the fake clock.
// SPDX-License-Identifier: Apache-2.0
#include "platform/signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"

namespace kw::platform {
namespace {

bool is_readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, 0) == 1;
}

TEST(SignalGuard, TheFirstSignalSetsAFlag) {
  const SignalGuard guard;
  EXPECT_FALSE(guard.is_interrupted());
  EXPECT_FALSE(is_readable(guard.fd()));
  std::raise(SIGINT);
  EXPECT_TRUE(guard.is_interrupted());
  EXPECT_TRUE(is_readable(guard.fd()));
}

TEST(SignalGuard, TheSecondEndsTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SignalGuard guard;
    std::raise(SIGTERM);
    if (!guard.is_interrupted()) ::_exit(1);
    std::raise(SIGINT);
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(SignalGuard, OneThatTakesTwoTellsThemApartAndTheThirdEndsTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SignalGuard guard(2);
    std::raise(SIGINT);
    if (!guard.is_interrupted() || guard.is_urgent()) ::_exit(1);
    std::raise(SIGINT);
    if (!guard.is_urgent()) ::_exit(2);
    std::raise(SIGINT);
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
}

TEST(SignalGuard, OneWithinAnotherTakesTheSignalsForItsLife) {
  const SignalGuard outer;
  {
    const SignalGuard inner;
    std::raise(SIGTERM);
    EXPECT_TRUE(inner.is_interrupted());
  }
  EXPECT_FALSE(outer.is_interrupted());
  EXPECT_FALSE(is_readable(outer.fd()));
  std::raise(SIGTERM);
  EXPECT_TRUE(outer.is_interrupted());
}

TEST(SignalGuard, RestoresWhatWasThere) {
  std::signal(SIGINT, SIG_IGN);
  {
    const SignalGuard guard;
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock(5, 100);
  EXPECT_EQ(clock.now_ns(), 5);
  clock.sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(clock.now_ns(), 1'500'000'005);
  EXPECT_EQ(clock.wall_seconds(), 101);
  clock.advance(std::chrono::milliseconds(500));
  EXPECT_EQ(clock.wall_seconds(), 102);
  clock.step_wall(-50);
  EXPECT_EQ(clock.wall_seconds(), 52);
  EXPECT_EQ(clock.now_ns(), 2'000'000'005);
}

TEST(RealClock, NeverStepsBack) {
  std::int64_t last = real_clock().now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = real_clock().now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(real_clock().wall_seconds(), 1'700'000'000);
}

}  // namespace
}  // namespace kw::platform
