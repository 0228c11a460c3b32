// The words of one error of each code that files, locks and jails give: see
// src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "base/error_for_test.h"
#include "platform/files.h"
#include "platform/jail.h"
#include "platform/locks.h"

namespace kw::platform {
namespace {

TEST(ErrorSnapshot, Platform) {
  EXPECT_THAT(read_file("/nowhere/task.yaml"),
              IsErrorShownAs(ErrorCode::NotFound,
                             "/nowhere/task.yaml: cannot open: No such file or directory"));
  EXPECT_THAT(read_file("/"), IsErrorShownAs(ErrorCode::Io, "/: cannot read: Is a directory"));
  EXPECT_THAT(Result<>(fail_errno("open", "task.yaml", EACCES)),
              IsErrorShownAs(ErrorCode::NotPermitted, "task.yaml: cannot open: Permission denied"));
  EXPECT_THAT(
      Result<>(fail_errno("write", "page.html", ENOSPC)),
      IsErrorShownAs(ErrorCode::NoSpace, "page.html: cannot write: No space left on device"));
  EXPECT_THAT(Result<>(fail_errno("map", "input", ENOMEM)),
              IsErrorShownAs(ErrorCode::NoMemory, "input: cannot map: Cannot allocate memory"));
  EXPECT_THAT(find_program("kw-no-such-program"),
              IsErrorShownAs(ErrorCode::MissingProgram,
                             "kw-no-such-program: no folder of PATH holds this program"));
  const auto folder = TempDir::create();
  ASSERT_TRUE(folder);
  const Path file = folder->path() / "lock";
  const auto held = FileLock::acquire(file, "optimizing saxpy");
  ASSERT_TRUE(held);
  EXPECT_THAT(FileLock::acquire(file, "another"),
              IsErrorShownAs(ErrorCode::Busy,
                             file.string() + ": the lock is held: in use by optimizing saxpy"));
  JailSpec open_jail;
  open_jail.level = JailLevel::None;
  EXPECT_THAT(launch(open_jail, {"/nowhere/program"}),
              IsErrorShownAs(ErrorCode::NoJail,
                             "none jail of /nowhere/program: kw-jail could not open "
                             "/nowhere/program: No such file or directory"));
}

}  // namespace
}  // namespace kw::platform
