// Help, version and that every subcommand has both; wrong words and values are in tests/cases.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Usage, HelpAndVersion) {
  const Workspace w;
  const Ran version = w.kw({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("kernelwright "));
  const Ran help = w.kw({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* name : {"optimize", "judge", "resume", "replay", "runs", "show", "compare",
                           "export", "sweep", "soak", "task", "device", "doctor"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
    const Ran one = w.kw({name, "--help"});
    EXPECT_EQ(one.code, 0) << name;
    EXPECT_THAT(one.out, HasSubstr("Usage:")) << name;
  }
}

}  // namespace
}  // namespace kw::program
