// Tests which files in a folder an export may replace, and which must stay.
// SPDX-License-Identifier: Apache-2.0
#include "session/export_folder.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::session {
namespace {

namespace fs = std::filesystem;

TEST(ExportFolder, AFileThatNoExportWroteStays) {
  const auto scratch = platform::TempDir::create().value();
  const platform::Path folder = scratch.path() / "out";
  ASSERT_TRUE(write_export_folder(folder, {{"a.h", "one"}, {"LICENSE", "text"}}));
  ASSERT_TRUE(platform::write_file_atomic(folder / "README.md", "mine", false));
  EXPECT_THAT(write_export_folder(folder, {{"README.md", "theirs"}, {"b.h", "two"}}),
              IsErrorAbout(ErrorCode::Exists, "README.md"));
  EXPECT_EQ(platform::read_file(folder / "README.md").value(), "mine");
  EXPECT_TRUE(fs::exists(folder / "a.h")) << "a refusal changes nothing";
  ASSERT_TRUE(write_export_folder(folder, {{"b.h", "two"}, {"LICENSE", "other"}}));
  EXPECT_FALSE(fs::exists(folder / "a.h"));
  EXPECT_EQ(platform::read_file(folder / "LICENSE").value(), "other");
}

TEST(ExportFolder, ALinkDoesNotLeadOutOfTheFolder) {
  const auto scratch = platform::TempDir::create().value();
  const platform::Path folder = scratch.path() / "out", elsewhere = scratch.path() / "elsewhere";
  ASSERT_TRUE(write_export_folder(folder, {{"test/test.cpp", "ours"}}));
  fs::remove_all(folder / "test");
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, folder / "test");
  ASSERT_TRUE(platform::write_file_atomic(elsewhere / "test.cpp", "mine", false));
  EXPECT_THAT(write_export_folder(folder, {{"test/test.cpp", "new"}}),
              IsErrorAbout(ErrorCode::NotPermitted, "link"));
  ASSERT_TRUE(write_export_folder(folder, {{"a.h", "new"}}));
  EXPECT_EQ(platform::read_file(elsewhere / "test.cpp").value(), "mine");
}

}  // namespace
}  // namespace kw::session
