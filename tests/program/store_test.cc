// Workspaces that cannot be used, and stores of other versions.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

const Words kRun{"optimize", "synthetic:7", "--attempts", "2"};

TEST(Store, ANewerSchemaIsRefusedInWords) {
  const Workspace w;
  w.kw(kRun);
  {
    SQLite::Database db((w.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA user_version = 99");
  }
  for (const Words& words : {Words{"runs"}, kRun, Words{"show", "synthetic-1"}}) {
    const Ran ran = w.kw(words);
    EXPECT_EQ(ran.code, 3);
    EXPECT_THAT(ran.first_error(), AllOf(StartsWith("kw: "), HasSubstr("kernelwright.sqlite"),
                                         HasSubstr("newer version"), HasSubstr("schema 99")));
  }
  const Ran doctor = w.kw({"doctor", "--json"});
  EXPECT_EQ(doctor.code, 3);
  EXPECT_EQ(doctor.json()["can_judge_cpu"], false);
}

TEST(Store, SomethingElseInItsPlace) {
  const Workspace w;
  w.write("runs/kernelwright.sqlite", std::string(5000, 'x'));
  const Ran ran = w.kw({"runs"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.first_error(), HasSubstr("not a database of ours"));
  EXPECT_EQ(w.read("runs/kernelwright.sqlite"), std::string(5000, 'x'));
}

TEST(Store, WorkspacesThatCannotBeWritten) {
  const Workspace w;
  w.write("file", "");
  // A file in the way stops root as well; a mode does not.
  Words places{"file", "file/below", "/proc/nowhere"};
  if (::geteuid() != 0) {
    ASSERT_EQ(::mkdir((w.path() / "locked").c_str(), 0500), 0);
    places.push_back("locked");
  } else {
    std::printf("as root: a read-only mode stops nobody, that case is left out\n");
  }
  for (const std::string& place : places) {
    Words words = kRun;
    words.insert(words.end(), {"--workspace", place});
    const Ran ran = w.kw(words);
    EXPECT_THAT(ran.code, AnyOf(2, 3)) << place;
    EXPECT_THAT(ran.first_error(), AllOf(StartsWith("kw: "), HasSubstr(place))) << ran.err;
  }
}

TEST(Doctor, SaysWhetherJudgingWorks) {
  const Workspace w;
  const Ran ran = w.kw({"doctor", "--json"});
  const auto report = ran.json();
  EXPECT_EQ(ran.code, report["can_judge_cpu"] == true ? 0 : 3);
  bool any_broken = false;
  std::set<std::string> names;
  for (const auto& check : report["checks"]) {
    names.insert(check["what"]);
    any_broken |= check["health"] == "BROKEN";
    EXPECT_NE(check["found"], "") << check["what"];
  }
  EXPECT_EQ(any_broken, ran.code == 3);
  for (const char* name :
       {"compiler", "jail namespace", "jail landlock", "user namespaces", "OpenBLAS", "GPU",
        "workspace", "cache", "store", "lease folder", "clock", "cores", "cpu quota", "load now"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Doctor, AMissingCompilerIsBroken) {
  const Workspace w;
  const Ran ran = w.kw({"doctor"}, {"KW_CXX=/nowhere/g++"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("BROKEN  compiler"), HasSubstr("fix:   ")));
}

}  // namespace
}  // namespace kw::program
