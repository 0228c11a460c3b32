// Tests of workspaces that cannot be used, and of stores with other schema versions.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <set>

#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

const Words kTwoAttempts{"optimize", "synthetic:7", "--attempts", "2"};

TEST(Store, ANewerSchemaIsRefusedInWords) {
  const Workspace w;
  w.kw(kTwoAttempts);
  {
    SQLite::Database db((w.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA user_version = 99");
  }
  for (const Words& words : {Words{"runs"}, kTwoAttempts, Words{"show", "synthetic-1"}}) {
    const Ran ran = w.kw(words);
    EXPECT_EQ(ran.code, 3);
    EXPECT_THAT(
        ran.first_error(),
        AllOf(StartsWith("kw: "), HasSubstr("kernelwright.sqlite"), HasSubstr("newer version"),
              HasSubstr("schema 99"), HasSubstr("; --workspace DIR keeps runs in another folder")));
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
  EXPECT_THAT(ran.first_error(), HasSubstr("not a database of Kernelwright"));
  EXPECT_EQ(w.read("runs/kernelwright.sqlite"), std::string(5000, 'x'));
}

TEST(Store, WorkspacesThatCannotBeWritten) {
  const Workspace w;
  w.write("file", "");
  // A file in place of the folder also stops root, whom permissions would not stop.
  Words places{"file", "file/below", "/proc/nowhere"};
  if (::geteuid() != 0) {
    ASSERT_EQ(::mkdir((w.path() / "locked").c_str(), 0500), 0);
    places.push_back("locked");
  } else {
    std::printf(
        "as root: a read-only mode stops nobody; AReadOnlyWorkspaceIsNamed stands for it\n");
  }
  for (const std::string& place : places) {
    Words words = kTwoAttempts;
    words.insert(words.end(), {"--workspace", place});
    const Ran ran = w.kw(words);
    EXPECT_EQ(ran.code, 3) << place;
    EXPECT_THAT(ran.first_error(),
                AllOf(StartsWith("kw: "), HasSubstr(place),
                      HasSubstr("; --workspace DIR keeps runs in another folder")))
        << ran.err;
  }
}

TEST(Store, ALostArtifactIsNamed) {
  const Workspace w;
  w.kw(kTwoAttempts);
  std::filesystem::remove_all(w.path() / "runs/artifacts");
  const Ran ran = w.kw({"explain", "synthetic-1", "1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.first_error(),
              AllOf(StartsWith("kw: ./runs/artifacts/"),
                    testing::EndsWith("cannot open: No such file or directory")));
}

/// Runs a script in which `small` is a fresh filesystem of 1 MiB; nothing if this machine does not
/// let users mount one.
std::optional<Ran> with_filesystem(const Workspace& w, const std::string& script) {
  const std::string root = ::geteuid() == 0 ? "" : "--map-root-user ";
  const auto inside = [&](const std::string& text) {
    w.write("inside.sh", "mount -t tmpfs -o size=1m tmpfs small || exit 99\n" + text);
    return w.shell("mkdir -p small && exec unshare " + root + "--mount sh inside.sh");
  };
  if (inside("exit 0\n").code != 0) return std::nullopt;
  return inside(script);
}

TEST(Store, AReadOnlyWorkspaceIsNamed) {
  const Workspace w;
  const auto ran =
      with_filesystem(w,
                      "mount -o remount,ro small || exit 98\n"
                      "exec \"$KW\" optimize synthetic:7 --attempts 2 --workspace small\n");
  if (!ran) GTEST_SKIP() << "nobody may mount a filesystem here";
  EXPECT_EQ(ran->code, 3) << ran->err;
  EXPECT_THAT(ran->first_error(), AllOf(StartsWith("kw: small"), HasSubstr("ead-only")));
}

TEST(Store, AReadOnlyWorkspaceIsRead) {
  const Workspace w;
  const auto ran = with_filesystem(
      w,
      "\"$KW\" optimize synthetic:7 --attempts 2 --workspace small >/dev/null 2>&1\n"
      "mount -o remount,ro small || exit 98\n"
      "\"$KW\" runs --json --workspace small && \"$KW\" show synthetic-1 --workspace small &&\n"
      "\"$KW\" export synthetic-1 --workspace small >/dev/null\n");
  if (!ran) GTEST_SKIP() << "nobody may mount a filesystem here";
  EXPECT_EQ(ran->code, 0) << ran->err;
  EXPECT_THAT(ran->out,
              AllOf(HasSubstr(R"("name":"synthetic-1")"), HasSubstr("synthetic-1: finished")));
}

TEST(Store, WhoOnlyLooksMakesNothing) {
  const Workspace w;
  for (const Words& words : {Words{"runs"}, Words{"memory", "list"}, Words{"show", "synthetic-1"}})
    EXPECT_EQ(w.kw(words).code, words[0] == "show" ? 2 : 0);
  EXPECT_FALSE(std::filesystem::exists(w.path() / "runs"));
}

TEST(Store, AFullDiskStopsTheRunAndLosesNothing) {
  const Workspace w;
  const auto ran = with_filesystem(
      w,
      "\"$KW\" optimize synthetic:7:200 --strategy random --attempts 300 --json --workspace small "
      ">/dev/null 2>err || code=$?\n"
      "echo \"code $code\"\n"
      "mount -o remount,size=64m small || exit 98\n"
      "\"$KW\" runs --json --workspace small\n"
      "\"$KW\" resume synthetic-1 --json --workspace small >/dev/null\n"
      "echo \"resumed $?\"\n"
      "\"$KW\" replay synthetic-1 --workspace small >/dev/null\n"
      "echo \"replayed $?\"\n");
  if (!ran) GTEST_SKIP() << "nobody may mount a filesystem here";
  EXPECT_THAT(ran->out, AllOf(HasSubstr("code 3"), HasSubstr(R"("state":"stopped")"),
                              HasSubstr("resumed 0"), HasSubstr("replayed 0")))
      << ran->err << w.read("err");
  EXPECT_THAT(w.read("err"),
              AnyOf(HasSubstr("the disk of the workspace is full"), HasSubstr("No space left")));
}

TEST(Store, SourcesThatCannotBeKeptDoNotSwallowTheResult) {
  const Workspace w;
  const auto ran = with_filesystem(
      w,
      "mkdir small/kept && head -c 2m /dev/zero >small/fill 2>/dev/null\n"
      "exec \"$KW\" optimize synthetic:7 --attempts 20 --json --save-attempts small/kept\n");
  if (!ran) GTEST_SKIP() << "nobody may mount a filesystem here";
  EXPECT_EQ(ran->code, 3) << ran->err;
  const auto told = ran->json();
  EXPECT_EQ(told["run"], "synthetic-1");
  EXPECT_FALSE(told["best"].is_null());
  EXPECT_THAT(told["not_saved"]["what"], HasSubstr("No space left"));
  EXPECT_THAT(ran->err, HasSubstr("kw export synthetic-1 --format jsonl"));
  EXPECT_FALSE(w.read("runs/synthetic-1/results.csv").empty());
}

/// Copies the store of schema 1 in tests/program/schema_1, written by a program of that version.
void write_old_store(const Workspace& w) {
  const platform::Path old = platform::Path(KW_SOURCE_DIR) / "tests/program/schema_1";
  const platform::Path runs = w.path() / "runs";
  std::filesystem::create_directories(runs / "synthetic-1");
  std::filesystem::copy(old / "artifacts", runs / "artifacts",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(old / "decisions.log", runs / "synthetic-1/decisions.log");
  SQLite::Database db((runs / "kernelwright.sqlite").string(),
                      SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const auto dump = platform::read_file(old / "store.sql");
  ASSERT_TRUE(dump);
  db.exec(*dump);
}

TEST(Store, AnOldOneIsMigratedWithAllItsRows) {
  const Workspace w;
  write_old_store(w);
  const auto runs = w.kw({"runs", "--json"}).json()["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["name"], "synthetic-1");
  EXPECT_EQ(runs[0]["attempts"], 3);
  const auto shown = w.kw({"show", "synthetic-1", "--json"}).json();
  ASSERT_EQ(shown["attempts"].size(), 3u);
  EXPECT_EQ(shown["attempts"][0]["name"], "idea-0");
  EXPECT_NE(shown["attempts"][0]["words"], "");
  EXPECT_TRUE(shown["confirmation"].is_object());
  const auto attempt = w.kw({"show", "synthetic-1", "--attempt", "2", "--json"}).json();
  EXPECT_THAT(attempt["source"].get<std::string>(), HasSubstr("synthetic idea"));
  EXPECT_EQ(w.kw({"replay", "synthetic-1"}).code, 0);
  EXPECT_EQ(w.kw({"export", "synthetic-1"}).code, 0);
  SQLite::Database db((w.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READWRITE);
  EXPECT_GT(db.execAndGet("PRAGMA user_version").getInt(), 1);
  // After the upgrade the store can be used for new runs.
  EXPECT_THAT(w.kw(kTwoAttempts).code, AnyOf(0, 1));
  EXPECT_EQ(w.kw({"runs", "--json"}).json()["runs"].size(), 2u);
}

TEST(Store, ANewerOneKeepsItsRowsForItsOwnProgram) {
  const Workspace w;
  w.kw(kTwoAttempts);
  const platform::Path file = w.path() / "runs/kernelwright.sqlite";
  int ours = 0;
  {
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
    ours = db.execAndGet("PRAGMA user_version").getInt();
    db.exec("PRAGMA user_version = 99");
  }
  EXPECT_EQ(w.kw(kTwoAttempts).code, 3);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = " + std::to_string(ours));
  const auto runs = w.kw({"runs", "--json"}).json()["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["attempts"], 2);
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
