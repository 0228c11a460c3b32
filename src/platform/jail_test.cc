// Tests of what a jailed program cannot do, at each level that this machine offers.
// SPDX-License-Identifier: Apache-2.0
#include "platform/jail.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error_for_test.h"
#include "platform/test_support.h"

namespace kw::platform {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// With KW_REQUIRE_JAIL=1 a level that does not work fails its tests, unless KW_JAIL_EXCUSED names
/// it.
bool is_required(JailLevel level) {
  const char* required = std::getenv("KW_REQUIRE_JAIL");
  const char* excused = std::getenv("KW_JAIL_EXCUSED");
  return required != nullptr && std::string_view(required) == "1" &&
         (excused == nullptr || name_of(level) != excused);
}

/// Whether this process holds CAP_SYS_ADMIN.
bool has_admin() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> 21 & 1) != 0;
  return false;
}

class Jail : public ::testing::TestWithParam<JailLevel> {
 protected:
  void SetUp() override {
    const JailFinding& finding = probe_jail().at(GetParam());
    if (finding.available) return;
    ASSERT_FALSE(is_required(GetParam())) << finding.why_not;
    static bool said = false;
    if (!std::exchange(said, true)) {
      std::printf("SKIPPED: tests of jail level %s: %s\n", std::string(name_of(GetParam())).c_str(),
                  finding.why_not.c_str());
    }
    GTEST_SKIP();
  }

  JailSpec spec() const {
    JailSpec result;
    result.level = GetParam();
    return result;
  }
  Exit attempt(const std::vector<std::string>& words, const JailSpec& how,
               Nanoseconds timeout = kPatience) const {
    return must(run_jailed(how, attack(words), timeout));
  }
  Exit attempt(const std::vector<std::string>& words) const { return attempt(words, spec()); }

  ProcessLimit process_limit() const {
    const JailProbe& probe = probe_jail();
    return GetParam() == JailLevel::Namespace ? probe.process_limit_ns
                                              : probe.process_limit_landlock;
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, Jail, ::testing::Values(JailLevel::Namespace, JailLevel::Landlock),
                         [](const auto& level) { return std::string(name_of(level.param)); });

TEST_P(Jail, RunsAProgramAndTellsHowItEnded) {
  const Exit said = attempt({"say", "hello"});
  EXPECT_TRUE(said.ok()) << describe(said) << said.err;
  EXPECT_EQ(said.out, "hello\n");
  EXPECT_EQ(said.err, "and to stderr\n");
  EXPECT_EQ(attempt({"exit", "139"}).code, 139);
  const Exit aborted = attempt({"abort"});
  EXPECT_EQ(aborted.signal, SIGABRT);
  EXPECT_EQ(aborted.code, -1);
}

TEST_P(Jail, ForbidsTheKernelsDarkerCorners) { EXPECT_EQ(attempt({"forbidden"}).out, "done\n"); }

TEST_P(Jail, ShowsNoFilesOutside) {
  const TempDir folder = need(TempDir::create());
  std::ofstream(folder.path() / "secret") << "truth";
  ::chmod(folder.path().c_str(), 0777);
  ::chmod((folder.path() / "secret").c_str(), 0666);
  const std::string secret = folder.path() / "secret";
  EXPECT_NE(attempt({"read", secret}).out, "ok\n");
  EXPECT_NE(attempt({"write", secret}).out, "ok\n");
  EXPECT_NE(attempt({"mkfile", folder.path() / "new"}).out, "ok\n");
  EXPECT_NE(attempt({"chmod", secret}).out, "ok\n");
  EXPECT_NE(attempt({"read", "/etc/passwd"}).out, "ok\n");
  EXPECT_NE(attempt({"read", "/proc/self/environ"}).out, "ok\n");
  EXPECT_NE(attempt({"mkfile", "/usr/kw-test"}).out, "ok\n");
  EXPECT_NE(attempt({"mkfile", "/kw-test"}).out, "ok\n");
}

TEST_P(Jail, ShowsWhatItWasGivenAndNoMore) {
  const TempDir folder = need(TempDir::create());
  ::chmod(folder.path().c_str(), 0755);
  for (const char* name : {"in", "out"}) ASSERT_TRUE(make_dirs(folder.path() / name));
  std::ofstream(folder.path() / "in" / "data") << "x";
  std::ofstream(folder.path() / "sibling") << "x";
  JailSpec how = spec();
  how.readable = {folder.path() / "in"};
  how.writable = {folder.path() / "out"};
  EXPECT_EQ(attempt({"read", folder.path() / "in" / "data"}, how).out, "ok\n");
  EXPECT_NE(attempt({"write", folder.path() / "in" / "data"}, how).out, "ok\n");
  EXPECT_NE(attempt({"mkfile", folder.path() / "in" / "new"}, how).out, "ok\n");
  EXPECT_EQ(attempt({"mkfile", folder.path() / "out" / "new"}, how).out, "ok\n");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "new"));
  EXPECT_NE(attempt({"read", folder.path() / "sibling"}, how).out, "ok\n");
}

TEST_P(Jail, HidesWhatItRefusesAtNamespaceAlone) {
  const TempDir folder = need(TempDir::create());
  ::chmod(folder.path().c_str(), 0755);
  std::ofstream(folder.path() / "secret") << "truth";
  // Each of these attempts succeeds at the weaker level, as docs/threat-model.md says under "What
  // Landlock does not hold".
  const bool is_told = GetParam() == JailLevel::Landlock;
  EXPECT_EQ(attempt({"exists", folder.path() / "secret"}).out == "ok\n", is_told);
  EXPECT_EQ(attempt({"process", std::to_string(::getpid())}).out == "ok\n", is_told);
  EXPECT_EQ(attempt({"watch", folder.path()}).out == "ok\n", is_told);
}

TEST_P(Jail, StartsAProgramThatIsNamedThroughALinkToItsFolder) {
  const TempDir shown = need(TempDir::create());
  const TempDir hidden = need(TempDir::create());
  ::chmod(shown.path().c_str(), 0755);
  std::filesystem::create_directory_symlink("/usr/bin", hidden.path() / "alternative");
  std::filesystem::create_directory_symlink(hidden.path() / "alternative", shown.path() / "bin");
  JailSpec how = spec();
  how.readable = {shown.path()};
  const Exit exit = must(run_jailed(how, {shown.path() / "bin" / "true"}, kPatience));
  EXPECT_TRUE(exit.ok()) << exit.err;
}

TEST_P(Jail, HasNoEnvironmentButOurs) {
  ::setenv("KW_TEST_SECRET", "key", 1);
  EXPECT_EQ(attempt({"env"}).out, "");
  JailSpec how = spec();
  how.env = {"OMP_WAIT_POLICY=passive"};
  EXPECT_EQ(attempt({"env"}, how).out, "OMP_WAIT_POLICY=passive\n");
}

TEST_P(Jail, PassesExactlyTheMappedDescriptors) {
  const Fd message = need(memfd_with("message", "through"));
  JailSpec how = spec();
  how.fds = {{message.get(), 3}};
  EXPECT_EQ(attempt({"open-fds"}, how).out, "0 1 2 3 ");
  EXPECT_EQ(attempt({"read-fd", "3"}, how).out, "through\n");
}

TEST_P(Jail, RunsThreads) {
  JailSpec how = spec();
  how.max_processes = 16;
  EXPECT_EQ(attempt({"threads", "4"}, how).out, "500500 4\n");
}

TEST_P(Jail, StartsNoProcessesUnlessAllowed) {
  EXPECT_EQ(attempt({"fork-bomb", "10"}).out, "0\n");
  EXPECT_EQ(attempt({"exec", "execve"}).out, "EPERM\n");
  EXPECT_EQ(attempt({"exec", "execveat"}).out, "EPERM\n");
  JailSpec how = spec();
  how.allow_new_processes = true;
  EXPECT_TRUE(attempt({"exec", "execve"}, how).ok());
}

TEST_P(Jail, MakesLocalSocketsOnlyWhereADriverNeedsThem) {
  JailSpec how = spec();
  how.local_sockets = true;
  EXPECT_EQ(attempt({"forbidden"}, how).out, "unix socket: ok\nsocketpair: ok\ndone\n");
}

TEST_P(Jail, NamesItsThreadsWhereADriverNeedsIt) {
  if (!std::filesystem::exists("/proc/self/status")) {
    std::printf("SKIPPED: no /proc here, where threads are named\n");
    GTEST_SKIP();
  }
  EXPECT_NE(attempt({"name-thread"}).out, "ok\n");
  JailSpec how = spec();
  how.proc = true;
  EXPECT_EQ(attempt({"name-thread"}, how).out, "ok\n");
  EXPECT_NE(attempt({"write", "/proc/sys/kernel/printk_ratelimit"}, how).out, "ok\n");
  if (GetParam() == JailLevel::Landlock) {
    EXPECT_NE(attempt({"write", "/proc/self/oom_score_adj"}, how).out, "ok\n");
  }
}

TEST_P(Jail, HasANetworkOfItsOwnAtNamespaceAlone) {
  JailSpec how = spec();
  how.local_sockets = how.private_network = true;
  const std::string local = "unix socket: ok\nsocketpair: ok\ndone\n";
  EXPECT_EQ(attempt({"forbidden"}, how).out,
            GetParam() == JailLevel::Namespace ? "socket: ok\n" + local : local);
}

TEST_P(Jail, KeepsOneCapabilityWhereItMustAndNoUid) {
  if (!std::filesystem::exists("/proc/self/status")) {
    std::printf("SKIPPED: no /proc here, which tells the capabilities\n");
    GTEST_SKIP();
  }
  JailSpec how = spec();
  how.keeps_admin = true;
  how.allow_new_processes = true;
  how.proc = true;
  const Exit told =
      must(run_jailed(how, {"/usr/bin/grep", "CapEff", "/proc/self/status"}, kPatience));
  // CAP_SYS_ADMIN is bit 21. A process that lacks it has nothing to keep.
  const std::string one = "CapEff:\t0000000000200000\n";
  const std::string none = "CapEff:\t0000000000000000\n";
  if (GetParam() == JailLevel::Namespace)
    EXPECT_THAT(told.out, ::testing::AnyOf(one, none));
  else
    EXPECT_EQ(told.out, has_admin() ? one : none);
}

/// Threads that may have ended between the launch and a count after it.
constexpr int kTurnover = 100;

TEST_P(Jail, ContainsAForkBomb) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  JailSpec how = spec();
  how.allow_new_processes = true;
  how.max_processes = 32;
  how.fds = {{write_end.get(), 3}};
  const Exit bomb = attempt({"fork-bomb", "2000"}, how);
  const int started = std::stoi("0" + bomb.out);
  struct sysinfo machine{};
  ::sysinfo(&machine);
  switch (process_limit()) {
    case ProcessLimit::Exact:
      // The last process of an earlier jail with this uid may still be ending.
      EXPECT_GE(started, 29);
      EXPECT_LE(started, 31);
      break;
    case ProcessLimit::Shared:
      // Processes that others start meanwhile only make the number smaller.
      EXPECT_GT(started, 0);
      EXPECT_LE(started, machine.procs + how.max_processes + kTurnover);
      break;
    case ProcessLimit::Unbounded:
      std::printf("NOTE: the kernel exempts this user from the limit on processes\n");
      break;
  }
  write_end.reset();
  pollfd hangup{read_end.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&hangup, 1, 20'000), 1) << "descendants survived";
}

TEST_P(Jail, TwoJailsHaveALimitEach) {
  JailSpec how = spec();
  how.allow_new_processes = true;
  how.max_processes = 8;
  if (process_limit() != ProcessLimit::Exact) {
    std::printf("SKIPPED: the limit on processes is shared at this level\n");
    GTEST_SKIP();
  }
  // The processes of the first jail stay alive while the second runs.
  how.out = Output::Discard;
  const Process first = need(launch(how, attack({"hang"})));
  how.out = Output::Capture;
  EXPECT_EQ(attempt({"fork-bomb", "300"}, how).out, "7\n");
}

TEST_P(Jail, DropsRoot) {
  const Exit exit = attempt({"uid"});
  unsigned uid = 0;
  int groups = -1;
  ASSERT_EQ(std::sscanf(exit.out.c_str(), "%u %d", &uid, &groups), 2) << exit.out;
  if (probe_jail().drops_uid) {
    EXPECT_GE(uid, 65100u);
    EXPECT_EQ(groups, 0);
  } else {
    EXPECT_EQ(uid, ::getuid());
  }
  EXPECT_EQ(attempt({"no-new-privs"}).code, 1);
  EXPECT_EQ(attempt({"capabilities"}).out, "0\n");
}

TEST_P(Jail, SaysWhomItRunsAs) {
  const Process other = need(launch(spec(), attack({"hang"})));
  Process process = need(launch(spec(), attack({"uid"})));
  const uid_t said = process.uid();
  EXPECT_THAT(must(process.wait(kPatience)).out, StartsWith(std::to_string(said) + " "));
  EXPECT_EQ(said != other.uid(), probe_jail().drops_uid);
}

TEST_P(Jail, LeavesTheUidOfTheLastJailAlone) {
  const auto uid = [this] { return need(launch(spec(), attack({"uid"}))).uid(); };
  const uid_t before = uid();
  EXPECT_EQ(uid() != before, probe_jail().drops_uid);
}

TEST_P(Jail, CannotKillUs) {
  EXPECT_EQ(attempt({"kill", std::to_string(::getpid())}).out, "EPERM\n");
  EXPECT_EQ(attempt({"kill", std::to_string(::getppid())}).out, "EPERM\n");
  EXPECT_EQ(attempt({"kill", "1"}).out, "EPERM\n");
  EXPECT_EQ(attempt({"kill", "-1"}).out, "EPERM\n");
}

TEST_P(Jail, AllowsAnonymousMemory) { EXPECT_EQ(attempt({"memfd"}).out, "ok\n"); }

TEST_P(Jail, LimitsMemoryAndFiles) {
  const TempDir folder = need(TempDir::create());
  ::chmod(folder.path().c_str(), 0755);
  JailSpec how = spec();
  how.writable = {folder.path()};
  how.address_space_bytes = std::uint64_t{512} << 20;
  how.file_bytes = 1 << 20;
  EXPECT_EQ(attempt({"allocate", "1000000000"}, how).out, "ENOMEM\n");
  EXPECT_EQ(attempt({"grow-file", folder.path() / "big", "2000000"}, how).out, "EFBIG\n");
}

TEST_P(Jail, LimitsCpuTime) {
  JailSpec how = spec();
  how.cpu_seconds = 1;
  EXPECT_EQ(attempt({"burn"}, how).signal, SIGXCPU);
}

TEST_P(Jail, EndsAHangInTime) {
  const Exit exit = attempt({"hang"}, spec(), std::chrono::milliseconds(100));
  EXPECT_TRUE(exit.timed_out);
}

TEST_P(Jail, CapsAFlood) {
  JailSpec how = spec();
  how.output_cap = 1000;
  how.kill_past_cap = true;
  const Exit exit = attempt({"flood"}, how);
  EXPECT_EQ(exit.out, std::string(1000, 'x'));
  EXPECT_TRUE(exit.output_truncated);
}

TEST_P(Jail, PayloadCanBeStoppedAndClocked) {
  const Process process = need(launch(spec(), attack({"burn"})));
  while (need(process.cpu_ns()) == 0) {
  }
  ASSERT_TRUE(process.signal(SIGSTOP));
  // Stopping is asynchronous: the clock stands still once two reads agree.
  std::int64_t before = -1;
  std::int64_t now = need(process.cpu_ns());
  while (now != before) {
    before = now;
    real_clock().sleep_for(std::chrono::milliseconds(5));
    now = need(process.cpu_ns());
  }
  ASSERT_TRUE(process.signal(SIGCONT));
  while (need(process.cpu_ns()) == now) {
  }
}

TEST_P(Jail, TellsThatThePayloadHasEnded) {
  Process process = need(launch(spec(), attack({"hang"})));
  EXPECT_TRUE(process.is_payload_running());
  ASSERT_TRUE(process.signal(SIGKILL));
  while (process.is_payload_running()) {  // the end of a process is not instant
  }
  EXPECT_EQ(must(process.wait(kPatience)).signal, SIGKILL);
  EXPECT_FALSE(process.is_payload_running());
}

TEST_P(Jail, DiesWithItsParent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  JailSpec how = spec();
  how.fds = {{write_end.get(), 3}};
  how.out = Output::Discard;
  probe_jail();  // probes before the fork, so that the child need not
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto process = launch(how, attack({"hang"}));
    ::kill(::getpid(), SIGKILL);
  }
  write_end.reset();
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  pollfd hangup{read_end.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&hangup, 1, 20'000), 1) << "the jail outlived its parent";
}

TEST_P(Jail, NamesWhatItCannotGive) {
  JailSpec how = spec();
  how.readable = {"/nowhere"};
  const auto missing = launch(how, attack({"uid"}));
  EXPECT_THAT(missing, IsError(ErrorCode::NotFound));
  EXPECT_THAT(missing, IsErrorAt("/nowhere"));
  const auto program = launch(spec(), {"/nowhere/program"});
  EXPECT_THAT(program, IsError(ErrorCode::NoJail));
  EXPECT_THAT(program, IsErrorAt(HasSubstr("/nowhere/program")));
}

TEST(JailLevels, AnUnavailableLevelIsAnErrorThatSaysWhy) {
  const JailProbe& probe = probe_jail();
  std::printf(
      "namespace: %s\nlandlock: %s\n",
      (probe.ns.available ? probe.ns.confines : probe.ns.why_not).c_str(),
      (probe.landlock.available ? probe.landlock.confines : probe.landlock.why_not).c_str());
  for (const JailLevel level : {JailLevel::Namespace, JailLevel::Landlock}) {
    if (probe.at(level).available) continue;
    EXPECT_NE(probe.at(level).why_not, "");
    JailSpec spec;
    spec.level = level;
    const auto refused = launch(spec, attack({"uid"}));
    EXPECT_THAT(refused, IsErrorAbout(ErrorCode::NoJail, std::string(name_of(level))));
  }
}

TEST(JailLevels, HaveNames) {
  EXPECT_EQ(enum_from<JailLevel>("landlock"), JailLevel::Landlock);
  EXPECT_FALSE(enum_from<JailLevel>("Landlock"));
}

TEST(JailLevels, NoneStillLimitsAndCleansTheEnvironment) {
  JailSpec spec;
  spec.level = JailLevel::None;
  spec.address_space_bytes = std::uint64_t{512} << 20;
  EXPECT_EQ(must(run_jailed(spec, attack({"env"}), kPatience)).out, "");
  EXPECT_EQ(must(run_jailed(spec, attack({"allocate", "1000000000"}), kPatience)).out, "ENOMEM\n");
}

}  // namespace
}  // namespace kw::platform
