// SPDX-License-Identifier: Apache-2.0
#include "platform/uid_cursor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kw::platform {
namespace {

TEST(UidCursor, GoesOnFromProcessToProcess) {
  const TempDir folder = TempDir::create().value();
  const std::uint32_t first = advance_uid_cursor(folder.path());
  constexpr std::uint32_t kChildren = 5;
  for (std::uint32_t i = 1; i <= kChildren; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(advance_uid_cursor(folder.path()) == first + i ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "child " << i;
  }
  EXPECT_EQ(advance_uid_cursor(folder.path()), first + kChildren + 1);
}

TEST(UidCursor, AFileThatOthersMayWriteIsNotBelieved) {
  const TempDir folder = TempDir::create().value();
  const std::uint32_t first = advance_uid_cursor(folder.path());
  ASSERT_EQ(::chmod((folder.path() / "uid-next").c_str(), 0666), 0);
  const std::uint32_t own = advance_uid_cursor(folder.path());
  EXPECT_EQ(advance_uid_cursor(folder.path()), own + 1);  // still counts
  ASSERT_EQ(::chmod((folder.path() / "uid-next").c_str(), 0600), 0);
  EXPECT_EQ(advance_uid_cursor(folder.path()), first + 1);
}

}  // namespace
}  // namespace kw::platform
