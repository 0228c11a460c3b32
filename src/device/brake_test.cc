// Tests of stopping and releasing real processes, by the freezer and by signals.
// SPDX-License-Identifier: Apache-2.0
#include "device/brake.h"

#include <gtest/gtest.h>
#include <time.h>

#include <string>

namespace kw::device {
namespace {

constexpr double kSpanNs = 30e6;

void pause_ns(double ns) {
  const timespec span{0, static_cast<long>(ns)};
  ::nanosleep(&span, nullptr);
}

platform::Process start(const std::string& script) {
  platform::SpawnOptions options;
  options.out = options.err = platform::Output::Discard;
  auto process = platform::spawn({"/bin/sh", "-c", script}, options);
  if (!process.has_value()) panic(describe(process.error()).c_str());
  pause_ns(kSpanNs);  // until the process runs the given program
  return *std::move(process);
}

// A hold by the freezer, or by signals. Null where the freezer cannot be used.
std::unique_ptr<Hold> hold(bool freezes, const platform::Process& process) {
  return freezes ? hold_by_freezer(process) : hold_by_signals(process);
}

class Brakes : public testing::TestWithParam<bool> {
 protected:
  bool is_skipped(const std::unique_ptr<Hold>& held) const {
    if (held != nullptr) return false;
    std::fprintf(stderr, "skipped: no group of cgroup v2 can be made here\n");
    return true;
  }
};

TEST_P(Brakes, HoldAProcessAndLetItGo) {
  const auto busy = start("while :; do :; done");
  auto held = hold(GetParam(), busy);
  if (is_skipped(held)) GTEST_SKIP();
  Brake brake(busy, std::move(held));
  for (int turn = 0; turn < 3; ++turn) {
    (void)brake.pull();
    ASSERT_TRUE(brake.await_rest());
    // The kernel calls a process frozen before it has taken it off its processor and charged its
    // last processor time; where a hypervisor pauses that processor, this takes more than half a
    // millisecond.
    pause_ns(kSpanNs);
    const auto stopped_at = busy.cpu_ns();
    pause_ns(kSpanNs);
    EXPECT_EQ(*busy.cpu_ns(), *stopped_at) << "it ran while it was held";
    brake.note_rest();
    ASSERT_TRUE(brake.release());
    // On a loaded machine the process may wait for a processor.
    for (int i = 0; i < 200 && *busy.cpu_ns() == *stopped_at; ++i) pause_ns(kSpanNs);
    EXPECT_GT(*busy.cpu_ns(), *stopped_at) << "it did not go on";
  }
}

TEST_P(Brakes, TellWorkAfterTheAnswerFromSleep) {
  for (const bool is_busy : {true, false}) {
    const auto process = start(is_busy ? "while :; do :; done" : "exec sleep 100");
    auto held = hold(GetParam(), process);
    if (is_skipped(held)) GTEST_SKIP();
    Brake brake(process, std::move(held));
    bool has_ended = brake.pull();
    // A look that a busy machine made slow says of a sleeper, too, that it may not have ended.
    for (int turn = 0; turn == 0 || (turn < 100 && !is_busy && !has_ended); ++turn) {
      ASSERT_TRUE(brake.await_rest());
      brake.note_rest();
      ASSERT_TRUE(brake.release());
      pause_ns(kSpanNs);
      has_ended = brake.pull();
    }
    EXPECT_EQ(has_ended, !is_busy);
    ASSERT_TRUE(brake.await_rest());
    // The call is taken to have lasted a microsecond, so processor time beyond that was used
    // outside of the call.
    if (is_busy)
      EXPECT_GT(brake.outside_ns(1e3), 1e6);
    else
      EXPECT_LT(brake.outside_ns(1e3), 1e5);
  }
}

TEST_P(Brakes, SayWhenTheProcessHasGone) {
  const auto brief = start("exit 0");
  auto held = hold(GetParam(), brief);
  if (is_skipped(held)) GTEST_SKIP();
  Brake brake(brief, std::move(held));
  (void)brake.pull();
  EXPECT_FALSE(brake.await_rest());
}

INSTANTIATE_TEST_SUITE_P(Ways, Brakes, testing::Bool(),
                         [](const auto& way) { return way.param ? "freezer" : "signals"; });

}  // namespace
}  // namespace kw::device
