// Tests of the state of runs whose end was not recorded.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "platform/files.h"
#include "platform/memory_disk_for_test.h"
#include "store/run_store.h"

namespace kw::store {
namespace {

class RunStateTest : public testing::Test {
 protected:
  void SetUp() override {
    RunConfig config;
    config.task = "a";
    run_ = store_.create(config, "").value();
  }
  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-state").value());
  platform::MemoryDisk disk_;
  RunStore store_ = RunStore::open(dir_.path(), disk_).value();
  RunSummary run_;
};

TEST_F(RunStateTest, ARunThatNobodyWorksOnIsStopped) {
  {
    const auto held = store_.lock(run_);
    ASSERT_TRUE(held);
    EXPECT_EQ(store_.find("a-1")->state, RunState::Running);
    EXPECT_EQ(store_.list()->front().state, RunState::Running);
  }
  EXPECT_EQ(store_.find("a-1")->state, RunState::Stopped);
  EXPECT_EQ(store_.list()->front().state, RunState::Stopped);
}

TEST_F(RunStateTest, AnOlderProgramsFailedRunIsStopped) {
  SQLite::Database((dir_.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET state = 'failed'");
  EXPECT_EQ(store_.find("a-1")->state, RunState::Stopped);
}

}  // namespace
}  // namespace kw::store
