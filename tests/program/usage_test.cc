// Flags, config file, environment and exit codes.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
  Words words;
  std::string says;
};

TEST(Usage, WrongWordsAreOneLineWithASuggestion) {
  const Workspace w;
  const std::vector<Wrong> cases{
      {{}, "kw: A subcommand is required"},
      {{"optimise", "saxpy"}, "kw: unknown word optimise (did you mean 'optimize'?)"},
      {{"optimize", "saxpy", "--atempts", "3"},
       "kw: unknown flag --atempts (did you mean '--attempts'?)"},
      {{"optimize", "synthetic:7", "--attempts", "many"}, "kw: "},
      {{"optimize"}, "kw: task is required"},
      {{"judge", "x.cpp"}, "kw: --task is required"},
      {{"task"}, "kw: A subcommand is required"},
      {{"task", "chek", "saxpy"}, "kw: unknown word chek (did you mean 'check'?)"},
      {{"runs", "--jason"}, "kw: unknown flag --jason (did you mean '--json'?)"},
  };
  for (const Wrong& c : cases) {
    const Ran ran = w.kw(c.words);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(c.words);
    EXPECT_THAT(ran.err, StartsWith(c.says)) << testing::PrintToString(c.words);
    EXPECT_EQ(ran.out, "") << testing::PrintToString(c.words);
  }
}

TEST(Usage, WrongValuesSayWhatIsRight) {
  const Workspace w;
  const std::vector<Wrong> cases{
      {{"optimize", "synthetic:x"}, "synthetic:x: synthetic: wants a number"},
      {{"optimize", "synthetic:7", "--strategy", "greedi"}, "did you mean 'greedy'?"},
      {{"optimize", "synthetic:7", "--goal", "fast"}, "goal"},
      {{"optimize", "synthetic:7", "--time", "soon"}, "soon"},
      {{"optimize", "synthetic:7", "--attempts", "-1"}, "--attempts cannot be negative"},
      {{"optimize", "synthetic:7", "--outstanding", "0"}, "--outstanding is at least 1"},
      {{"optimize", "synthetic:7", "--target", "tpu"}, "--target is cpu or cuda, not 'tpu'"},
      {{"optimize", "saxpi"}, "did you mean 'saxpy'?"},
      {{"task", "show", "saxpi"}, "did you mean 'saxpy'?"},
      {{"judge", "none.cpp", "--task", "saxpy"}, "none.cpp"},
      {{"judge", "none.cpp", "--task", "saxpy", "--until", "end"},
       "--until is compile, check or measure, not 'end'"},
      {{"sweep", "saxpy"}, "one dim must range"},
      {{"sweep", "saxpy", "--dim", "n=9..3"}, "wants n=64..512"},
      {{"sweep", "saxpy", "--dim", "m=1..3"}, "the task has no dim 'm'; it has n"},
      {{"show", "saxpy-1"}, "no run named 'saxpy-1'"},
      {{"replay", "saxpy-1"}, "no run named 'saxpy-1'"},
      {{"resume", "saxpy-1"}, "no run named 'saxpy-1'"},
      {{"export", "saxpy-1"}, "no run named 'saxpy-1'"},
      {{"export", "saxpy-1", "--format", "cvs"}, "did you mean 'csv'?"},
      {{"compare", "saxpy-1"}, "wants at least two runs"},
      {{"runs", "--data-dir", "nowhere"}, ""},
  };
  for (const Wrong& c : cases) {
    if (c.says.empty()) continue;
    const Ran ran = w.kw(c.words);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(c.words) << ran.err;
    EXPECT_THAT(ran.first_error(), StartsWith("kw: ")) << testing::PrintToString(c.words);
    EXPECT_THAT(ran.first_error(), HasSubstr(c.says)) << testing::PrintToString(c.words);
  }
}

TEST(Usage, ErrorsAreJsonWhereAskedFor) {
  const Workspace w;
  for (const Words& words : {Words{"runs", "--json", "--jason"}, Words{"--json", "show", "none-1"},
                             Words{"--json", "task", "show", "none"}, Words{"--json"}}) {
    const Ran ran = w.kw(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.json()["error"]["exit_code"], 2) << testing::PrintToString(words);
    EXPECT_NE(ran.json()["error"]["what"], "") << testing::PrintToString(words);
  }
}

TEST(Usage, HelpAndVersion) {
  const Workspace w;
  const Ran version = w.kw({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("kernelwright "));
  const Ran help = w.kw({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* name : {"optimize", "judge", "resume", "replay", "runs", "show", "compare",
                           "export", "sweep", "task", "device", "doctor"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
    const Ran one = w.kw({name, "--help"});
    EXPECT_EQ(one.code, 0) << name;
    EXPECT_THAT(one.out, HasSubstr("Usage:")) << name;
  }
}

/// Seed that a run of `w` was made with.
std::uint64_t seed_of_last(const Workspace& w) {
  return w.kw({"runs", "--json"}).json()["runs"].back()["config"]["seed"];
}

TEST(Usage, FlagsOverEnvironmentOverFileOverDefaults) {
  const Workspace w;
  const Words run{"optimize", "synthetic:7", "--attempts", "1"};
  w.kw(run);
  EXPECT_EQ(seed_of_last(w), 1u);
  w.write("kernelwright.toml", "[optimize]\nseed = 22\n");
  w.kw(run);
  EXPECT_EQ(seed_of_last(w), 22u);
  w.kw(run, {"KW_SEED=33"});
  EXPECT_EQ(seed_of_last(w), 33u);
  Words with_flag = run;
  with_flag.insert(with_flag.end(), {"--seed", "44"});
  w.kw(with_flag, {"KW_SEED=33"});
  EXPECT_EQ(seed_of_last(w), 44u);
}

TEST(Usage, FileMaySetTheWorkspaceAndMustBeRight) {
  const Workspace w;
  w.write("kernelwright.toml", "workspace = \"elsewhere\"\n");
  EXPECT_EQ(w.kw({"optimize", "synthetic:7", "--attempts", "1"}).signal, 0);
  EXPECT_NE(w.read("elsewhere/runs/synthetic-1/decisions.log"), "");
  w.write("kernelwright.toml", "workspce = \"elsewhere\"\n");
  const Ran ran = w.kw({"runs"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("workspce"));
}

}  // namespace
}  // namespace kw::program
