// Tests of subprocesses: environment, descriptors, output, time, and whole trees.
// SPDX-License-Identifier: Apache-2.0
#include "platform/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/error_for_test.h"
#include "platform/process_state.h"
#include "platform/test_support.h"

namespace kw::platform {
namespace {

using ::testing::HasSubstr;

TEST(Subprocess, GivesOutputAndExitCode) {
  const Exit said = must(run(attack({"say", "hello"}), {}, kPatience));
  EXPECT_TRUE(said.ok());
  EXPECT_EQ(said.out, "hello\n");
  EXPECT_EQ(said.err, "and to stderr\n");
  EXPECT_GT(said.max_rss_bytes, 0);
  const Exit failed = must(run(attack({"exit", "7"}), {}, kPatience));
  EXPECT_EQ(failed.code, 7);
  EXPECT_EQ(failed.signal, 0);
  EXPECT_EQ(describe(failed), "exit code 7");
}

TEST(Subprocess, TellsWhichSignalEndedIt) {
  const Exit exit = must(run(attack({"abort"}), {}, kPatience));
  EXPECT_EQ(exit.signal, SIGABRT);
  EXPECT_EQ(exit.code, -1);
  EXPECT_THAT(describe(exit), HasSubstr("signal 6"));
}

TEST(Subprocess, InheritsNothingUnlessAsked) {
  ::setenv("KW_TEST_SECRET", "key", 1);
  EXPECT_EQ(must(run(attack({"env"}), {}, kPatience)).out, "");
  SpawnOptions options;
  options.env = {"A=1", "B=2"};
  EXPECT_EQ(must(run(attack({"env"}), options, kPatience)).out, "A=1\nB=2\n");
  EXPECT_EQ(env_of_ours("KW_TEST_SECRET"), "KW_TEST_SECRET=key");
}

TEST(Subprocess, PassesExactlyTheMappedDescriptors) {
  std::array<int, 2> leaky{};
  ASSERT_EQ(::pipe(leaky.data()), 0);  // without close-on-exec, on purpose
  const Fd message = need(memfd_with("message", "through"));
  SpawnOptions options;
  options.fds = {{message.get(), 9}};
  EXPECT_EQ(must(run(attack({"open-fds"}), options, kPatience)).out, "0 1 2 9 ");
  EXPECT_EQ(must(run(attack({"read-fd", "9"}), options, kPatience)).out, "through\n");
  ::close(leaky[0]);
  ::close(leaky[1]);
}

TEST(Subprocess, MapsDescriptorsThatSwapNumbers) {
  const Fd a = need(memfd_with("a", "first"));
  const Fd b = need(memfd_with("b", "second"));
  SpawnOptions options;
  options.fds = {{a.get(), b.get()}, {b.get(), a.get()}};
  EXPECT_EQ(must(run(attack({"read-fd", std::to_string(b.get())}), options, kPatience)).out,
            "first\n");
}

TEST(Subprocess, FeedsStandardInput) {
  SpawnOptions options;
  options.stdin_data = "fed";
  EXPECT_EQ(must(run(attack({"read-fd", "0"}), options, kPatience)).out, "fed\n");
  EXPECT_EQ(must(run(attack({"read-fd", "0"}), {}, kPatience)).out, "\n");
}

TEST(Subprocess, NamesAProgramThatDoesNotExist) {
  const auto missing = run({"/nowhere/program"}, {}, kPatience);
  EXPECT_THAT(missing, IsError(ErrorCode::NotFound));
  EXPECT_THAT(missing, IsErrorAt("/nowhere/program"));
  const auto folder = run({"/tmp/"}, {}, kPatience);
  EXPECT_FALSE(folder);
  const auto unknown = run({"kw-no-such-program"}, {}, kPatience);
  EXPECT_THAT(unknown, IsError(ErrorCode::MissingProgram));
  EXPECT_THAT(unknown, IsErrorAt("kw-no-such-program"));
}

TEST(Subprocess, NamesAFolderThatDoesNotExist) {
  SpawnOptions options;
  options.cwd = "/nowhere";
  const auto lost = run(attack({"exit", "0"}), options, kPatience);
  EXPECT_THAT(lost, IsError(ErrorCode::NotFound));
  EXPECT_THAT(lost, IsErrorAt("/nowhere"));
}

TEST(Subprocess, EndsAHangInTime) {
  const Exit exit = must(run(attack({"hang"}), {}, std::chrono::milliseconds(50)));
  EXPECT_TRUE(exit.timed_out);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(describe(exit), "timed out");
  EXPECT_GT(exit.cpu_ns, 0);
}

TEST(Subprocess, KeepsTheBeginningOfAFlood) {
  SpawnOptions options;
  options.output_cap = 1000;
  options.kill_past_cap = true;
  const Exit killed = must(run(attack({"flood"}), options, kPatience));
  EXPECT_EQ(killed.out, std::string(1000, 'x'));
  EXPECT_TRUE(killed.output_truncated);
  EXPECT_FALSE(killed.timed_out);
  options.kill_past_cap = false;
  const Exit drained = must(run(attack({"flood"}), options, std::chrono::milliseconds(100)));
  EXPECT_EQ(drained.out.size(), 1000u);
  EXPECT_TRUE(drained.timed_out);
}

TEST(Subprocess, LeavesNoDescendants) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  SpawnOptions options;
  options.fds = {{write_end.get(), 5}};
  const Exit exit = must(run(attack({"fork-bomb", "20"}), options, kPatience));
  EXPECT_EQ(exit.out, "20\n");
  write_end.reset();
  // All twenty processes held the other end of the pipe; end of file says that they are gone.
  pollfd hangup{read_end.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&hangup, 1, 20'000), 1);
  EXPECT_NE(hangup.revents & POLLHUP, 0);
}

TEST(Subprocess, StopsAndContinuesAndTellsCpuTime) {
  Process process = need(spawn(attack({"burn"})));
  EXPECT_EQ(process.payload_pid(), process.pid());
  while (need(process.cpu_ns()) == 0) {
  }
  ASSERT_TRUE(process.signal(SIGSTOP));
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process.pid()), &info, WSTOPPED), 0);
  // A process may still be on its processor when its parent hears that it has stopped, and its last
  // time is counted when it leaves.
  std::int64_t before = 0, stopped_at = need(process.cpu_ns());
  for (; stopped_at != before; stopped_at = need(process.cpu_ns())) {
    before = stopped_at;
    real_clock().sleep_for(std::chrono::milliseconds(5));
  }
  real_clock().sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(need(process.cpu_ns()), stopped_at);
  ASSERT_TRUE(process.signal(SIGCONT));
  EXPECT_TRUE(process.is_running());
  process.kill_tree();
  EXPECT_EQ(must(process.wait(kPatience)).signal, SIGKILL);
  EXPECT_FALSE(process.is_running());
}

TEST(Subprocess, DestructionKills) {
  pid_t pid = 0;
  {
    const Process process = need(spawn(attack({"hang"})));
    pid = process.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Subprocess, DismissalKillsAndLeavesTheReapingToOurEnd) {
  pid_t pid = 0;
  {
    Process process = need(spawn(attack({"hang"})));
    pid = process.pid();
    process.dismiss();
    process.dismiss();  // a second call does nothing
  }
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED), 0);  // not reaped yet
  EXPECT_EQ(info.si_code, CLD_KILLED);
  EXPECT_EQ(info.si_status, SIGKILL);
}

TEST(Subprocess, DrainsWithoutWaiting) {
  SpawnOptions options;
  options.output_cap = 4;
  Process process = need(spawn(attack({"flood"}), options));
  while (process.state().out.text.empty()) process.drain();
  process.kill_tree();
  EXPECT_EQ(must(process.wait(kPatience)).out, "xxxx");
}

TEST(Subprocess, LimitsResources) {
  SpawnOptions options;
  options.limits = {{RLIMIT_AS, rlim_t{256} << 20}};
  EXPECT_EQ(must(run(attack({"allocate", "1000000000"}), options, kPatience)).out, "ENOMEM\n");
  EXPECT_EQ(must(run(attack({"allocate", "1000000"}), options, kPatience)).out, "ok\n");
}

}  // namespace
}  // namespace kw::platform
