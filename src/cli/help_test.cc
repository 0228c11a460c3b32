// Tests that pages of help fit a terminal, and that every flag is on some page.
// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <gmock/gmock.h>

#include "base/terminal_text.h"
#include "base/text.h"

namespace kw::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

HelpPage sample_page() {
  return {
      "kw try TASK [flags]",
      "Does it",
      {{"TASK", "", "What is tried, which may take a sentence that is longer than one line"}},
      {{"--time", "X", "For how long"}, {"--rare", "", "Hardly ever"}, {"--new", "", "Unknown"}},
      {},
      {{"--json", "", "One object"}}};
}

const std::vector<HelpGroup> kSampleGroups{
    {"Task", {{"TASK", "", "its folder"}, {"--json", "", "an object"}}, {}},
    {"Budget", {{"--time", "5m", "most time"}}, {"--rare"}}};

TEST(Help, TheFirstScreenIsWhatTheGroupsShow) {
  EXPECT_EQ(help_text(sample_page(), kSampleGroups, 80),
            "kw try TASK [flags]: does it\n"
            "Task\n"
            "  TASK       its folder\n"
            "  --json     an object\n"
            "Budget\n"
            "  --time 5m  most time\n"
            "More of each group: kw try --help-all\n");
}

TEST(Help, AllOfItHasEveryFlagOnce) {
  const std::string all = help_all_text(sample_page(), kSampleGroups, 80);
  for (const char* flag : {"--time X", "--rare", "--new", "--json"}) {
    const std::size_t at = all.find(std::string("  ") + flag);
    ASSERT_NE(at, std::string::npos) << all;
    EXPECT_EQ(all.find(std::string("\n  ") + flag, at + 2), std::string::npos) << all;
  }
  EXPECT_THAT(all, HasSubstr("Others\n  --new")) << "in no group";
  EXPECT_THAT(all, HasSubstr("Every command\n  --json"));
}

TEST(Help, WithoutGroupsAllOfTheCommandIsShown) {
  const std::string text = help_text(sample_page(), {}, 60);
  EXPECT_THAT(text, HasSubstr("Arguments\n  TASK"));
  EXPECT_THAT(text, HasSubstr("--rare"));
  EXPECT_THAT(text, Not(HasSubstr("--json")));
  for (const std::size_t columns : {30u, 40u, 60u, 80u}) {
    const std::string all = help_all_text(sample_page(), {}, columns);
    for (const std::string_view line : split_lines(all))
      EXPECT_LE(columns_of(line), columns) << line;
  }
}

}  // namespace
}  // namespace kw::cli
