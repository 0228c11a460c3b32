// Tests of how a task is found by its name.
// SPDX-License-Identifier: Apache-2.0
#include "session/tasks.h"

#include <gtest/gtest.h>

#include "task/draft.h"

namespace kw::session {
namespace {

class NamedTask : public testing::Test {
 protected:
  void SetUp() override { options_.workspace = dir_.path().string(); }
  void write(const std::string& name) {
    const auto draft = task::draft_skeleton(name);
    ASSERT_TRUE(draft && task::write_draft(*draft, new_task_folder(options_, name)));
  }
  Result<task::Definition> open(const std::string& name) {
    return open_task(options_, memory::DataFiles::open(std::nullopt).value(), name);
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-session").value());
  Options options_;
};

TEST_F(NamedTask, IsOneOfTheWorkspaceAsSoonAsItIsWritten) {
  EXPECT_FALSE(open("mine"));
  write("mine");
  ASSERT_TRUE(open("mine")) << describe(open("mine").error());
  EXPECT_EQ(open("mine")->task.name, "mine");
  EXPECT_EQ(task_folder(options_, "mine"), dir_.path() / "tasks" / "mine");
  EXPECT_TRUE(open((dir_.path() / "tasks" / "mine").string())) << "by its path, too";
}

TEST_F(NamedTask, IsThePersonsBeforeTheShippedOne) {
  const auto shipped = open("saxpy");
  ASSERT_TRUE(shipped);
  EXPECT_FALSE(task_folder(options_, "saxpy"));
  write("saxpy");
  EXPECT_NE(open("saxpy")->task.sha256, shipped->task.sha256);
}

}  // namespace
}  // namespace kw::session
