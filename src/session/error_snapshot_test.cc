// The words of an error of a folder that holds what nobody may replace: see
// src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "session/export_folder.h"

namespace kw::session {
namespace {

TEST(ErrorSnapshot, Session) {
  const auto folder = platform::TempDir::create("kw-snapshot");
  ASSERT_TRUE(folder);
  const platform::Path file = folder->path() / "README.md";
  ASSERT_TRUE(platform::write_file_atomic(file, "mine", false));
  EXPECT_THAT(
      write_export_folder(folder->path(), {{"README.md", "theirs"}}),
      IsErrorShownAs(ErrorCode::Exists, file.string() +
                                            ": no export wrote this file; move it, or name another "
                                            "folder by --out"));
}

}  // namespace
}  // namespace kw::session
