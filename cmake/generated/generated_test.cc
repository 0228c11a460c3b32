// Tests of generated code: the embedded files equal those of the source tree, and the commit has
// the form of one.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

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

/// Names of the folders of tasks/ that are embedded.
std::set<std::string> embedded_tasks() {
  constexpr std::string_view kTasks = "tasks/";
  std::set<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.path.starts_with(kTasks))
      names.emplace(
          file.path.substr(kTasks.size(), file.path.find('/', kTasks.size()) - kTasks.size()));
  return names;
}

TEST(Embedded, HoldsTheTasksThatAreNamedAsShippedAndNoOther) {
  std::set<std::string> named;
  std::ifstream list(KW_SOURCE_DIR "/cmake/shipped_tasks.txt");
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && !line.starts_with('#')) named.insert(line);
  EXPECT_FALSE(named.empty());
  EXPECT_EQ(embedded_tasks(), named);
}

TEST(Embedded, HoldsEveryTaskOfTheRepository) {
  std::FILE* git = ::popen("git -C '" KW_SOURCE_DIR "' ls-files tasks 2>/dev/null", "r");
  ASSERT_NE(git, nullptr);
  std::set<std::string> tracked;
  char line[4096];
  while (std::fgets(line, sizeof line, git) != nullptr) {
    const std::string path(line);
    const std::size_t from = path.find('/') + 1;
    if (const std::size_t to = path.find('/', from); to != std::string::npos)
      tracked.insert(path.substr(from, to - from));
  }
  if (::pclose(git) != 0 || tracked.empty()) GTEST_SKIP() << "this is no clone";
  EXPECT_EQ(embedded_tasks(), tracked)
      << "a task of the repository is to stand in cmake/shipped_tasks.txt";
}

TEST(Version, LooksLikeACommit) {
  EXPECT_THAT(std::string(built_commit()),
              testing::AnyOf("unknown", testing::MatchesRegex("[0-9a-f]{12}(-dirty)?")));
}

}  // namespace
}  // namespace kw
