// Tests of locks, between two open files of one process, which exclude each other as two processes
// do.
// SPDX-License-Identifier: Apache-2.0
#include "platform/locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/error_for_test.h"
#include "platform/test_support.h"

namespace kw::platform {
namespace {

class FileLockTest : public ::testing::Test {
 protected:
  TempDir folder_ = need(TempDir::create());
  Path file_ = folder_.path() / "lock";
};

TEST_F(FileLockTest, NamesTheHolder) {
  const FileLock held = need(FileLock::acquire(file_, "optimizing saxpy"));
  const auto second = FileLock::acquire(file_, "another");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().advice, Advice::Retry);
  EXPECT_THAT(second, IsErrorAbout(ErrorCode::Busy, "optimizing saxpy"));
  EXPECT_THAT(second, IsErrorWithout("pid"));
}

TEST_F(FileLockTest, TellsWhetherItIsHeldWithoutTakingIt) {
  EXPECT_FALSE(need(FileLock::is_held(file_)));
  EXPECT_NE(::access(file_.c_str(), F_OK), 0) << "looking creates nothing";
  {
    const FileLock held = need(FileLock::acquire(file_, "first"));
    EXPECT_TRUE(need(FileLock::is_held(file_)));
  }
  EXPECT_FALSE(need(FileLock::is_held(file_)));
  EXPECT_TRUE(FileLock::acquire(file_, "second"));
}

TEST_F(FileLockTest, IsFreeAfterItsHolder) {
  {
    const FileLock held = need(FileLock::acquire(file_, "first"));
  }
  EXPECT_TRUE(FileLock::acquire(file_, "second"));
}

TEST_F(FileLockTest, DiesWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto held = FileLock::acquire(file_, "child");
    ::_exit(held ? 0 : 1);  // no destructor runs
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(FileLock::acquire(file_, "parent"));
}

TEST_F(FileLockTest, FollowsNoLinkAndTellsWhere) {
  ASSERT_EQ(::symlink("/etc/passwd", file_.c_str()), 0);
  const auto refused = FileLock::acquire(file_, "x");
  EXPECT_THAT(refused, IsError(ErrorCode::Io));
  EXPECT_THAT(refused, IsErrorAt(file_.string()));
  EXPECT_FALSE(FileLock::acquire("/nowhere/lock", "x"));
}

TEST_F(FileLockTest, WaitsForItsTurn) {
  std::optional<FileLock> held = need(FileLock::acquire(file_, "first"));
  std::atomic<bool> waiting{false};
  std::thread other([&] {
    waiting = true;
    EXPECT_TRUE(FileLock::acquire(file_, "second", kForever));
  });
  while (!waiting) std::this_thread::yield();
  held.reset();
  other.join();
}

class LeaseTest : public ::testing::Test {
 protected:
  Result<Lease> lease(LeaseMode mode, Nanoseconds timeout = Nanoseconds::zero()) {
    return Lease::acquire("cpu", mode, "measuring matmul", timeout, folder_.path());
  }
  TempDir folder_ = need(TempDir::create());
};

TEST_F(LeaseTest, SharersShareAndMeasurersDoNot) {
  {
    const Lease a = need(lease(LeaseMode::Shared));
    const Lease b = need(lease(LeaseMode::Shared));
    EXPECT_FALSE(lease(LeaseMode::Exclusive));
  }
  const Lease alone = need(lease(LeaseMode::Exclusive));
  EXPECT_EQ(alone.mode(), LeaseMode::Exclusive);
  EXPECT_FALSE(lease(LeaseMode::Shared));
  const auto second = lease(LeaseMode::Exclusive);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().advice, Advice::Retry);
  EXPECT_THAT(second, IsErrorAbout(ErrorCode::Busy, "measuring matmul"));
}

TEST_F(LeaseTest, WhoeverHasItIsNamedAndNobodyWhoHadIt) {
  const auto share = [&](const char* owner) {
    return need(
        Lease::acquire("cpu", LeaseMode::Shared, owner, Nanoseconds::zero(), folder_.path()));
  };
  std::optional<Lease> first = share("kw soak something.cpp, checking it");
  std::optional<Lease> second = share("kw judge a.cpp");
  const auto taken = [&] { return lease(LeaseMode::Exclusive).error(); };
  EXPECT_THAT(taken(), IsErrorAbout(ErrorCode::Busy,
                                    "kw soak something.cpp, checking it and kw judge a.cpp"));
  second.reset();
  EXPECT_THAT(taken(), IsErrorAbout(ErrorCode::Busy, "kw soak something.cpp, checking it"));
  first.reset();
  second = share("kw judge b.cpp");
  EXPECT_THAT(taken(), IsErrorAbout(ErrorCode::Busy, "kw judge b.cpp"));
  second.reset();
  const Lease alone = need(lease(LeaseMode::Exclusive));
  EXPECT_THAT(taken(), IsErrorAbout(ErrorCode::Busy, "measuring matmul"));
}

TEST_F(LeaseTest, DevicesAreIndependent) {
  const Lease cpu = need(lease(LeaseMode::Exclusive));
  EXPECT_TRUE(
      Lease::acquire("GPU-1/../x", LeaseMode::Exclusive, "t", Nanoseconds::zero(), folder_.path()));
}

TEST_F(LeaseTest, AWaitingMeasurementGoesBeforeLaterSharers) {
  std::optional<Lease> sharer = need(lease(LeaseMode::Shared));
  std::thread measurer([&] { EXPECT_TRUE(lease(LeaseMode::Exclusive, kForever)); });
  // Once the measurer waits at the gate, no new sharer gets in, although the device is only shared.
  while (lease(LeaseMode::Shared)) std::this_thread::yield();
  sharer.reset();
  measurer.join();
  EXPECT_TRUE(lease(LeaseMode::Shared));
}

TEST_F(LeaseTest, FilesAreOpenToAllUsers) {
  const mode_t before = ::umask(077);
  const Lease held = need(lease(LeaseMode::Exclusive));
  ::umask(before);
  for (const char* name : {"cpu.lease", "cpu.gate"}) {
    struct stat info{};
    ASSERT_EQ(::stat((folder_.path() / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0666u);
  }
}

TEST(LeaseDir, IsWritableByAll) {
  const Path folder = need(lease_dir());
  struct stat info{};
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777u);
  EXPECT_TRUE(Lease::acquire("test-device", LeaseMode::Shared, "test", std::chrono::seconds(20)));
}

}  // namespace
}  // namespace kw::platform
