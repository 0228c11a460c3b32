// Tests that every subcommand has help and version, and of messages about programs that are missing
// on the machine. Wrong arguments and values are tested in tests/cases.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
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
    EXPECT_THAT(one.out, StartsWith(std::string("kw ") + name)) << name;
  }
}

// Names of the commands in a help page's list of commands.
Words commands_of(const std::string& help) {
  Words names;
  bool is_list = false;
  for (const std::string_view line : split_lines(help)) {
    if (!line.starts_with("  ")) is_list = line == "Commands";
    if (is_list && line.starts_with("  ") && line[2] != ' ')
      names.emplace_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

void expect_screens(const Workspace& w, const Words& command) {
  Words words = command;
  words.emplace_back("--help");
  const Ran help = w.kw(words);
  EXPECT_EQ(help.code, 0);
  const auto lines = split_lines(help.out);
  // The help of one command must fit a first screen; the list of all commands may be longer.
  constexpr std::size_t kLines = 24, kColumns = 80;
  if (!command.empty()) {
    EXPECT_LE(lines.size(), kLines) << join(words, " ");
  }
  for (const auto line : lines) EXPECT_LE(line.size(), kColumns) << line;
  words.back() = "--help-all";
  const Ran all = w.kw(words);
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("\n  --workspace"), HasSubstr("\n  --json")))
      << words.back();
  for (const auto line : split_lines(all.out)) EXPECT_LE(line.size(), kColumns) << line;
  // Every flag on the first screen must be in the full help too.
  for (const auto line : lines)
    if (line.starts_with("  --")) {
      EXPECT_THAT(all.out, HasSubstr(std::string(line.substr(0, line.find(' ', 4))))) << line;
    }
  for (const std::string& name : commands_of(help.out)) {
    Words deeper = command;
    deeper.push_back(name);
    expect_screens(w, deeper);
  }
}

TEST(Usage, EveryHelpFitsAScreenAndAllOfItIsBehindHelpAll) {
  const Workspace w;
  expect_screens(w, {});
  EXPECT_THAT(w.kw({"optimize", "--help-all"}).out,
              AllOf(HasSubstr("--requests-per-minute N"), HasSubstr("--carrier X")));
  EXPECT_THAT(w.kw({"optimize", "--help"}).out,
              AllOf(HasSubstr("\nBudget\n"), testing::Not(HasSubstr("--carrier"))));
}

TEST(Usage, AloneItProposesFiveNextSteps) {
  const Workspace w;
  const Ran first = w.kw({});
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(split_lines(first.out).size(), 5u) << first.out;
  EXPECT_THAT(first.out, StartsWith("kw optimize softmax"));
  EXPECT_FALSE(std::filesystem::exists(w.path() / "runs")) << "looking changes nothing";
  EXPECT_NE(w.kw({"optimize", "synthetic:7", "--attempts", "2"}).code, 2);
  EXPECT_THAT(w.kw({}).out, StartsWith("kw report synthetic"));
  EXPECT_EQ(w.kw({"--json"}).json()["next"].size(), 5u);
  EXPECT_THAT(w.kw({}, {"OPENAI_API_KEY=x"}).out, HasSubstr("--model openai:NAME"));
}

TEST(Usage, OutputThatCannotBeWrittenIsNoSuccess) {
  const Workspace w;
  ASSERT_EQ(w.kw({"optimize", "synthetic:7", "--attempts", "5"}).code, 0);
  for (const char* words :
       {"show synthetic-1", "show synthetic-1 --json", "runs", "export synthetic-1", "task list",
        "task show saxpy", "steer synthetic-1 --list", "--help", "--version"}) {
    const Ran ran = w.shell(std::string("\"$KW\" ") + words + " >/dev/full");
    EXPECT_EQ(ran.code, 3) << words;
    EXPECT_THAT(ran.err, HasSubstr("standard output: cannot write: No space left")) << words;
  }
}

TEST(Usage, AnErrorInJsonHasACode) {
  const Workspace w;
  const auto code_of = [&](Words words) {
    words.emplace_back("--json");
    return w.kw(words).json()["error"]["code"].get<std::string>();
  };
  w.write("a.cpp", "void saxpy() {}\n");
  EXPECT_EQ(code_of({"judge", "a.cpp", "--task", "nonesuch"}), "not_found");
  EXPECT_EQ(code_of({"show", "nonesuch"}), "not_found");
  EXPECT_EQ(code_of({"judge", "none.cpp", "--task", "saxpy"}), "not_found");
  EXPECT_EQ(code_of({"judge", "a.cpp", "--task", "saxpy", "--until", "never"}), "bad_input");
  EXPECT_EQ(code_of({"judge", "a.cpp", "--nonesuch"}), "bad_input");
  EXPECT_EQ(code_of({"judge", "a.cpp"}), "bad_input");
  EXPECT_EQ(code_of({"--jail", "castle", "judge", "a.cpp", "--task", "saxpy"}), "bad_input");
}

// The test uses a copy of the program in an empty folder, since replacements for both tools may lie
// beside the real one.
TEST(Usage, AMissingCompilerOrWorkerIsTheEnvironments) {
  const Workspace w;
  write_good_task(w, "twice");
  w.write("right.cpp", kFasterKernel);
  const auto lacking = [&](const std::string& script) {
    const Ran ran = w.shell(script);
    EXPECT_EQ(ran.code, 3) << script << ran.err;
    return ran.err;
  };
  const std::string bare = "PATH=/nonexistent \"$KW\" ";
  for (const char* words : {"judge right.cpp --task twice", "optimize twice", "task check twice"})
    EXPECT_THAT(
        lacking(bare + words),
        HasSubstr("kw: g++: no folder of PATH holds this program; apt install g++, or set KW_CXX"))
        << words;
  EXPECT_THAT(lacking("mkdir alone && { ln \"$KW\" alone/kw 2>/dev/null || cp \"$KW\" alone/kw; } "
                      "&& exec alone/kw judge right.cpp --task twice"),
              AllOf(HasSubstr("kw-worker"), HasSubstr("; build again")));
}

TEST(Usage, WhatTheMachineLacksIsNamedWithAWayOut) {
  const Workspace w;
  write_good_task(w, "twice");
  w.write("right.cpp", kFasterKernel);
  w.write("file", "");
  const auto lacking = [&](const std::string& setting) {
    const Ran ran = w.shell(setting + " \"$KW\" judge right.cpp --task twice --until check");
    EXPECT_EQ(ran.code, 3) << ran.err;
    return ran.first_error();
  };
  EXPECT_THAT(lacking("XDG_CACHE_HOME=$PWD/file"),
              AllOf(HasSubstr("/file/kernelwright"), HasSubstr("; set XDG_CACHE_HOME")));
  // PATH has the compiler but not bubblewrap.
  EXPECT_THAT(lacking("mkdir few && ln -s \"$(command -v g++)\" few/g++; XDG_CACHE_HOME=$PWD/cache "
                      "KW_JAIL=namespace PATH=$PWD/few"),
              AllOf(HasSubstr("kw: jail level namespace does not work here: bubblewrap (bwrap)"),
                    HasSubstr("; apt install bubblewrap")));
}

}  // namespace
}  // namespace kw::program
