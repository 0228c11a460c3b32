// Tests of how a task is found by its name, and of exit codes.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <gtest/gtest.h>

#include "task/draft.h"

namespace kw::cli {
namespace {

class NamedTask : public testing::Test {
 protected:
  void SetUp() override { global_.workspace = dir_.path().string(); }
  void write(const std::string& name) {
    const auto draft = task::draft_skeleton(name);
    ASSERT_TRUE(draft && task::write_draft(*draft, new_task_folder(global_, name)));
  }
  Result<task::Definition> open(const std::string& name) {
    return open_task(global_, memory::DataFiles::open(std::nullopt).value(), name);
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-session").value());
  Global global_;
};

TEST_F(NamedTask, IsOneOfTheWorkspaceAsSoonAsItIsWritten) {
  EXPECT_FALSE(open("mine"));
  write("mine");
  ASSERT_TRUE(open("mine")) << describe(open("mine").error());
  EXPECT_EQ(open("mine")->task.name, "mine");
  EXPECT_EQ(task_folder(global_, "mine"), dir_.path() / "tasks" / "mine");
  EXPECT_TRUE(open((dir_.path() / "tasks" / "mine").string())) << "by its path, too";
}

TEST_F(NamedTask, IsThePersonsBeforeTheShippedOne) {
  const auto shipped = open("saxpy");
  ASSERT_TRUE(shipped);
  EXPECT_FALSE(task_folder(global_, "saxpy"));
  write("saxpy");
  EXPECT_NE(open("saxpy")->task.sha256, shipped->task.sha256);
}

TEST(CodeOf, IsUsageForInputAloneWhateverIsAdvised) {
  for (const Advice advice : {Advice::Retry, Advice::GiveUp, Advice::Stop}) {
    EXPECT_EQ(code_of({"no folder of PATH holds this program", "g++", advice}), kEnvironment);
    EXPECT_EQ(code_of(as_input(Result<>(fail("no such file", "x.cpp", advice))).error()), kUsage);
  }
  EXPECT_EQ(code_of(fail_input("no run of this name").error()), kUsage);
}

}  // namespace
}  // namespace kw::cli
