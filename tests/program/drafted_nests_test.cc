// Tasks drafted from the loop nests of tests/drafts, unedited: a kernel that computes the same in
// another way is right, and one that leaves something out or takes something else for it is not.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "kw.h"

namespace kw::program {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(KW_SOURCE_DIR) / "tests/drafts"; }

/// The names of the nests, each with a kernel of either kind beside it.
std::vector<std::string> nests() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder()))
    if (entry.path().extension() == ".c") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class DraftedNest : public testing::TestWithParam<std::string> {};

TEST_P(DraftedNest, TellsRightFromFalse) {
  const Workspace w(Whose::Suite);
  const std::string& name = GetParam();
  const auto file = [&](const char* ending) { return (folder() / (name + ending)).string(); };
  // Sizes that are counted serve here, and spare the run that would change them.
  const Ran drafted = w.kw({"task", "new", name, "--from", file(".c"), "--untimed"});
  ASSERT_EQ(drafted.code, 0) << drafted.err;
  const auto judged = [&](const char* ending) {
    return w.kw({"judge", file(ending), "--task", name, "--until", "check", "--json"});
  };
  const Ran right = judged("_right.cpp");
  if (lacks_jail(right)) GTEST_SKIP() << right.err;
  EXPECT_EQ(right.json()["verdict"]["outcome"], "correct") << right.out;
  EXPECT_EQ(judged("_false.cpp").json()["verdict"]["outcome"], "wrong_result");
}

INSTANTIATE_TEST_SUITE_P(Of, DraftedNest, testing::ValuesIn(nests()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kw::program
