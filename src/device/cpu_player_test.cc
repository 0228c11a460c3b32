// Tests of real players in real jails, with kernels that behave and kernels that do not.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "device/cpu.h"
#include "device/test_kernels/trouble_modes.h"
#include "platform/files.h"
#include "platform/jail.h"

namespace kw::device {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kElements = 10;

Device& device() {
  static const auto opened = open_cpu();
  if (!opened.has_value()) {
    ADD_FAILURE() << describe(opened.error());
    std::abort();
  }
  return **opened;
}

BuiltObject object(const std::string& name) {
  BuiltObject o;
  o.format = "elf-so";
  o.path = std::string(KW_BINARY_DIR) + "/test_kernels/" + name + ".so";
  return o;
}

platform::JailLevel platform_level(JailLevel level) {
  return static_cast<platform::JailLevel>(static_cast<int>(level));
}

class Players : public testing::TestWithParam<JailLevel> {
 protected:
  void SetUp() override {
    const auto& finding = platform::probe_jail().at(platform_level(GetParam()));
    if (!finding.available) {
      if (::getenv("KW_REQUIRE_JAIL") != nullptr) FAIL() << finding.why_not;
      std::fprintf(stderr, "skipped: no jail of level %s here: %s\n",
                   std::string(name_of(GetParam())).c_str(), finding.why_not.c_str());
      GTEST_SKIP();
    }
    x_ = make("x", true);
    y_ = make("y", true);
    for (int i = 0; i < kElements; ++i) set(*x_, i, static_cast<float>(i));
  }

  static std::unique_ptr<Buffer> make(const std::string& name, bool shared) {
    auto made =
        device().allocate({.name = name, .bytes = kElements * 4, .alignment = 4, .shared = shared});
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }
  static void set(Buffer& b, int i, float value) {
    EXPECT_TRUE(b.write(i * 4, std::as_bytes(std::span(&value, 1))).has_value());
  }
  static float get(const Buffer& b, int i) {
    float value = 0;
    EXPECT_TRUE(b.read(i * 4, std::as_writable_bytes(std::span(&value, 1))).has_value());
    return value;
  }

  std::unique_ptr<Player> start(std::int64_t memory = 0) {
    auto player = device().start_player({.name = "candidate",
                                         .jail = GetParam(),
                                         .memory_bytes = memory,
                                         .threads = 2,
                                         .buffers = {x_.get(), y_.get()},
                                         .writable = {false, true}});
    if (!player.has_value()) {
      ADD_FAILURE() << describe(player.error());
      std::abort();
    }
    return *std::move(player);
  }
  static Call request(int object, int first, std::int64_t timeout = 20 * kSecond) {
    return {
        .object = object,
        .arguments = {{.scalar = static_cast<std::uint64_t>(first)}, {.buffer = 0}, {.buffer = 1}},
        .timeout_ns = timeout};
  }
  static int loaded(Player& p, const std::string& name) {
    const auto load = p.load(object(name));
    EXPECT_EQ(load.fate, Fate::Returned) << load.detail;
    return load.object;
  }
  CallResult trouble(Mode mode, std::int64_t timeout = 20 * kSecond) {
    player_ = start();
    return player_->call(request(loaded(*player_, "trouble"), mode, timeout));
  }

  std::unique_ptr<Buffer> x_;
  std::unique_ptr<Buffer> y_;
  std::unique_ptr<Player> player_;
};

TEST_P(Players, ComputeIntoSharedBuffers) {
  const auto p = start();
  const int object = loaded(*p, "double_it");
  const auto result = p->call(request(object, kElements));
  EXPECT_EQ(result.fate, Fate::Returned) << result.detail;
  EXPECT_GT(result.elapsed_ns, 0);
  for (int i = 0; i < kElements; ++i) EXPECT_EQ(get(*y_, i), static_cast<float>(2 * i));
  EXPECT_TRUE(p->is_alive());
  EXPECT_EQ(p->jail(), GetParam());
  EXPECT_EQ(p->call_empty().fate, Fate::Returned);
}

/// Whether a process on this machine runs as `uid`.
bool runs_as(int uid) {
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", trouble)) {
    const auto status = platform::read_file(entry.path() / "status");
    if (status.has_value() && status->find(fmt::format("\nUid:\t{}\t", uid)) != std::string::npos)
      return true;
  }
  return false;
}

TEST_P(Players, RunAsTheUidThatIsRecorded) {
  const auto p = start();
  const auto q = start();
  EXPECT_TRUE(runs_as(p->uid())) << p->uid();
  EXPECT_TRUE(runs_as(q->uid())) << q->uid();
  const bool drops = GetParam() != JailLevel::None && platform::probe_jail().drops_uid;
  EXPECT_EQ(p->uid() != q->uid(), drops);
}

TEST_P(Players, CannotTellOneLifeFromAnotherByTheirNumbers) {
  for (int life = 0; life < 2; ++life) {
    const auto p = start();
    ASSERT_EQ(p->call(request(loaded(*p, "who_am_i"), 1)).fate, Fate::Returned);
    EXPECT_EQ(get(*y_, 0), -1);
    EXPECT_EQ(get(*y_, 1), 65534);
    if (GetParam() == JailLevel::Namespace) {
      EXPECT_EQ(get(*y_, 2), 2);
    }
  }
}

TEST_P(Players, RunEveryKindOfThread) {
  const auto p = start();
  const int object = loaded(*p, "threads");
  for (int call = 0; call < 3; ++call) {
    for (int i = 0; i < 5; ++i) set(*y_, i, 0);
    const auto result = p->call(request(object, kElements));
    ASSERT_EQ(result.fate, Fate::Returned) << result.detail;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(get(*y_, i), 1) << i;
  }
}

TEST_P(Players, RunOpenMpOnTheThreadsAskedForAndRestAfterwards) {
  const auto p = start();
  EXPECT_EQ(p->call(request(loaded(*p, "openmp"), kElements)).fate, Fate::Returned);
  EXPECT_EQ(get(*y_, 3), 5);
  const auto after = p->watch_after_return(kSecond / 50);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(after->processes_left, 0);
  EXPECT_EQ(p->call_empty().fate, Fate::Returned);
}

TEST_P(Players, BindOneOpenMpThreadToAProcessorWhereTheJailAllowsIt) {
  cpu_set_t usable;
  ASSERT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
  if (CPU_COUNT(&usable) < 2) {
    std::fprintf(stderr, "skipped: two processors are needed\n");
    GTEST_SKIP();
  }
  const auto p = start();
  ASSERT_EQ(p->call(request(loaded(*p, "where_am_i"), 0)).fate, Fate::Returned);
  // A player that shares our uid may not name threads, and libgomp then does not bind them.
  const bool may_bind = GetParam() != JailLevel::Landlock || ::getuid() == 0;
  for (int thread = 0; thread < 2; ++thread) {
    EXPECT_EQ(get(*y_, thread), may_bind ? 1 : static_cast<float>(CPU_COUNT(&usable)));
  }
  if (may_bind) {
    EXPECT_NE(get(*y_, 2), get(*y_, 3));
  }
}

TEST_P(Players, LoadOneObjectAndNoOther) {
  const auto p = start();
  const int object = loaded(*p, "double_it");
  EXPECT_NE(p->load(kw::device::object("double_it")).fate, Fate::Returned);
  EXPECT_FALSE(p->is_alive());
  const auto q = start();
  EXPECT_EQ(q->load(kw::device::object("no_entry")).fate, Fate::LoadRefused);
  EXPECT_TRUE(q->is_alive());
  EXPECT_EQ(q->load(kw::device::object("double_it")).fate, Fate::LoadRefused);
  EXPECT_EQ(object, 0);
}

TEST_P(Players, SayWhyTheyRefuseAnObject) {
  const auto p = start();
  const auto load = p->load(object("no_entry"));
  EXPECT_EQ(load.fate, Fate::LoadRefused);
  EXPECT_NE(load.detail.find("kw_entry"), std::string::npos) << load.detail;
}

TEST_P(Players, OpenNoFileInAConstructor) {
  const auto p = start();
  ASSERT_EQ(p->call(request(loaded(*p, "constructor_opens"), 1)).fate, Fate::Returned);
  EXPECT_EQ(get(*y_, 0), 0);
  EXPECT_EQ(get(*y_, 1), EMFILE);
  EXPECT_EQ(get(*y_, 2), 0);
}

TEST_P(Players, SeeAnExitInAConstructor) {
  const auto p = start();
  const auto load = p->load(object("constructor_exit"));
  EXPECT_EQ(load.fate, Fate::Exited) << load.detail;
  EXPECT_FALSE(p->is_alive());
  EXPECT_EQ(p->call_empty().fate, Fate::Exited);
  EXPECT_FALSE(p->watch_after_return(1000).has_value());
}

TEST_P(Players, CannotNameWhatIsNotThere) {
  const auto p = start();
  const int object = loaded(*p, "double_it");
  EXPECT_EQ(p->call(request(object + 1, 1)).fate, Fate::BadProtocol);
  const auto q = start();
  Call call = request(loaded(*q, "double_it"), 1);
  call.arguments[1].offset = kElements * 4 + 1;
  EXPECT_EQ(q->call(call).fate, Fate::BadProtocol);
}

TEST_P(Players, ReportSignals) {
  struct Case {
    Mode mode;
    int signal;
  };
  for (const auto& [mode, signal] :
       {Case{kSegfault, SIGSEGV}, Case{kAbort, SIGABRT}, Case{kDivide, SIGFPE},
        Case{kThrow, SIGABRT}, Case{kOverflowStack, SIGSEGV}}) {
    const auto result = trouble(mode);
    EXPECT_EQ(result.fate, Fate::Crashed) << mode << ' ' << result.detail;
    EXPECT_EQ(result.signal, signal) << mode;
    EXPECT_FALSE(result.fault_in_guard) << mode;
    EXPECT_FALSE(player_->is_alive());
  }
}

TEST_P(Players, FaultBesideTheirBuffers) {
  for (const Mode mode : {kFarBefore, kFarAfter}) {
    const auto result = trouble(mode);
    EXPECT_EQ(result.fate, Fate::Crashed) << mode << ' ' << result.detail;
    EXPECT_TRUE(result.fault_in_guard) << mode;
  }
}

TEST_P(Players, LeaveTracesInTheSlack) {
  EXPECT_EQ(device().ops().check_guards(*y_).value(), "");
  EXPECT_EQ(trouble(kByteBefore).fate, Fate::Returned);
  EXPECT_EQ(device().ops().check_guards(*y_).value(),
            "byte 1 before the beginning of the tensor was overwritten");
  y_ = make("y", true);
  // A buffer of 40 bytes ends at a page's end, so the next byte is in the guard.
  const auto result = trouble(kByteAfter);
  EXPECT_EQ(result.fate, Fate::Crashed) << result.detail;
  EXPECT_TRUE(result.fault_in_guard);
}

TEST_P(Players, CannotWriteTheirInputs) {
  const auto result = trouble(kWriteInput);
  EXPECT_EQ(result.fate, Fate::Crashed);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST_P(Players, AreKilledWhenTheyHang) {
  const auto result = trouble(kHang, kSecond / 10);
  EXPECT_EQ(result.fate, Fate::TimedOut);
  EXPECT_FALSE(player_->is_alive());
}

TEST_P(Players, AreNotBelievedWhenTheyExit) {
  const auto result = trouble(kExitZero);
  EXPECT_EQ(result.fate, Fate::Exited);
  EXPECT_EQ(result.detail, "exit code 0");
}

TEST_P(Players, AreDeniedTheSystem) {
  for (const Mode mode : {kFork, kKillParent, kSocket, kExec, kWriteFile, kReadLibrary, kMakeCode,
                          kFillPages, kThreadUnlikeOthers, kRememberInPolicy}) {
    const auto result = trouble(mode);
    EXPECT_EQ(result.fate, Fate::Returned) << mode << ' ' << result.detail;
    EXPECT_EQ(get(*y_, 0), 0) << mode;
  }
}

TEST_P(Players, SeeNothingOfOurEnvironment) {
  ::setenv("KW_TEST_SECRET", "1", 1);
  EXPECT_EQ(trouble(kEnvironment).fate, Fate::Returned);
  EXPECT_LT(get(*y_, 0), 1000);
}

TEST_P(Players, AreSeenWorkingAfterTheirReturn) {
  EXPECT_EQ(trouble(kSpinAfterReturn).fate, Fate::Returned);
  const auto after = player_->watch_after_return(kSecond / 20);
  ASSERT_TRUE(after.has_value());
  EXPECT_GT(after->late_cpu_ns, 1e6);
}

TEST_P(Players, AreNotBlamedForTheCallItself) {
  const auto p = start();
  const int object = loaded(*p, "trouble");
  int seen_late = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(p->call(request(object, kWork)).fate, Fate::Returned);
    const auto after = p->watch_after_return(kSecond / 1000);
    ASSERT_TRUE(after.has_value());
    seen_late += after->late_cpu_ns > 1e6 ? 1 : 0;
  }
  EXPECT_LE(seen_late, 2) << "the machine's own doing, at most";
}

TEST_P(Players, MayEndWhileTheyAreWatched) {
  EXPECT_EQ(trouble(kDieSoon).fate, Fate::Returned);
  const auto after = player_->watch_after_return(2 * kSecond);
  ASSERT_TRUE(after.has_value());
  EXPECT_TRUE(after->has_ended);
  EXPECT_FALSE(player_->is_alive());
}

TEST_P(Players, DoNotInheritTheRoundingMode) {
  const auto p = start();
  const int object = loaded(*p, "trouble");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(p->call(request(object, kRound)).fate, Fate::Returned);
    EXPECT_EQ(get(*y_, 0), 1) << i;
  }
}

TEST_P(Players, MayPrintWithoutEffect) { EXPECT_EQ(trouble(kFlood).fate, Fate::Returned); }

TEST_P(Players, CannotCloseTheirChannel) {
  EXPECT_EQ(trouble(kCloseAll).fate, Fate::Returned);
  EXPECT_EQ(player_->call_empty().fate, Fate::Returned);
}

TEST_P(Players, CannotForgeAnswers) {
  EXPECT_EQ(trouble(kForge).fate, Fate::BadProtocol);
  EXPECT_FALSE(player_->is_alive());
}

TEST_P(Players, CannotAnswerAheadOfTheQuestion) {
  EXPECT_EQ(trouble(kForgeAhead).fate, Fate::Returned);
  EXPECT_TRUE(player_->watch_after_return(kSecond / 10).has_value());
  EXPECT_EQ(player_->call_empty().fate, Fate::BadProtocol);
}

TEST_P(Players, RunOutOfTheMemoryTheyWereGiven) {
  const auto p = start(std::int64_t{256} << 20);
  const auto result = p->call(request(loaded(*p, "trouble"), kAllocate));
  EXPECT_EQ(result.fate, Fate::OutOfMemory) << result.detail;
}

INSTANTIATE_TEST_SUITE_P(Jails, Players, testing::Values(JailLevel::Namespace, JailLevel::Landlock),
                         [](const auto& level) { return std::string(name_of(level.param)); });

}  // namespace
}  // namespace kw::device
