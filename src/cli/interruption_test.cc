// Tests how commands end after a signal.
// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"
#include "cli/errors.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

namespace kw::cli {
namespace {

struct Interrupted {
  int code = -1;
  std::string out;
};

/// Runs `command` under --json in a child process, with a pipe as its standard output.
Interrupted run_interrupted(const std::function<int(const Global&)>& command) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  (void)std::fflush(stdout);  // otherwise the child would print buffered text a second time
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    Global global;
    global.json = true;
    const int code = [&] {
      const Interruption interruption(global, std::chrono::milliseconds(20));
      return command(global);
    }();
    (void)std::fflush(stdout);
    ::_exit(code);
  }
  ::close(pipe[1]);
  Interrupted ended;
  char bytes[512];
  for (ssize_t n = 0; (n = ::read(pipe[0], bytes, sizeof bytes)) > 0;)
    ended.out.append(bytes, static_cast<std::size_t>(n));
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

[[noreturn]] void go_on_for_ever() {
  for (;;) ::pause();
}

constexpr const char* kSaid =
    "{\"error\":{\"code\":\"cancelled\",\"exit_code\":130,\"what\":\"interrupted\",\"where\":\"\"}}"
    "\n";

TEST(Interruption, EndsACommandThatDoesNot) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Interrupted ended = run_interrupted([&](const Global&) -> int {
      std::raise(signal);
      go_on_for_ever();
    });
    EXPECT_EQ(ended.code, kInterrupted);
    EXPECT_EQ(ended.out, kSaid);
  }
}

TEST(Interruption, AnErrorAfterItHasItsExitCode) {
  const Interrupted ended = run_interrupted([](const Global& global) {
    std::raise(SIGTERM);
    return report_error(global, {"interrupted", ""}, kEnvironment);
  });
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_EQ(ended.out, kSaid);
}

TEST(Interruption, PrintsNoSecondObject) {
  const Interrupted ended = run_interrupted([](const Global&) -> int {
    std::printf("{}\n");
    std::raise(SIGINT);
    go_on_for_ever();
  });
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_EQ(ended.out, "{}\n");
}

TEST(Interruption, LeavesACommandAloneThatEndsByItself) {
  const Interrupted ended = run_interrupted([](const Global& global) {
    if (global.is_interrupted()) return kUsage;
    std::raise(SIGINT);
    return global.is_interrupted() ? kNotGood : kUsage;
  });
  EXPECT_EQ(ended.code, kNotGood);
  EXPECT_EQ(ended.out, "");
}

}  // namespace
}  // namespace kw::cli
