// What the build generates says the truth: the embedded files are those of the source tree, the
// commit looks like one.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "generated/embedded.h"
#include "generated/version.h"

namespace kw {
namespace {

TEST(Embedded, HoldsTheBytesOfTheSourceTree) {
  ASSERT_FALSE(embedded_files().empty());
  for (const EmbeddedFile& file : embedded_files()) {
    std::ifstream stream(std::string(KW_SOURCE_DIR "/").append(file.path), std::ios::binary);
    ASSERT_TRUE(stream) << file.path;
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(file.bytes, bytes) << file.path;
  }
}

TEST(Embedded, IsSortedAndHoldsTheShippedTasks) {
  const auto files = embedded_files();
  EXPECT_TRUE(std::ranges::is_sorted(files, {}, &EmbeddedFile::path));
  EXPECT_TRUE(std::ranges::binary_search(files, "tasks/saxpy/task.yaml", {}, &EmbeddedFile::path));
}

TEST(Version, LooksLikeACommit) {
  EXPECT_THAT(std::string(built_commit()),
              testing::AnyOf("unknown", testing::MatchesRegex("[0-9a-f]{12}(-dirty)?")));
}

}  // namespace
}  // namespace kw
