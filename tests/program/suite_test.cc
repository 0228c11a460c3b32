// Tests of suites as a user starts them: the six shipped suites, recorded runs, and kills.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <thread>

#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const platform::Path kSuites = platform::Path(KW_SOURCE_DIR) / "suites";

TEST(Suites, EachThatIsShippedRunsInWorldsAndFillsItsPlace) {
  const Workspace w(Whose::Suite);
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSuites)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++seen;
    const std::string name = entry.path().stem().string();
    w.write("page.md", "<!-- suite " + name + " landscape -->\n<!-- end of suite " + name +
                           " landscape -->\n");
    const Ran ran = w.kw({"suite", entry.path().string(), "--landscape", "4", "--csv", "cells.csv",
                          "--into", "page.md", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json told = ran.json();
    EXPECT_FALSE(told["rows"].empty());
    for (const json& row : told["rows"]) {
      EXPECT_EQ(row["tasks"], 4) << row;
      EXPECT_EQ(row["missing"], 0) << row;
      EXPECT_GT(row["metrics"]["geomean_all"]["value"].get<double>(), 0) << row;
    }
    EXPECT_THAT(w.read("page.md"), HasSubstr("| geomean_all"));
    EXPECT_THAT(w.read("cells.csv"), HasSubstr(",techniques:4,"));
    const Ran listed = w.kw({"suite", entry.path().string(), "--list"});
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_THAT(listed.out, HasSubstr("real"));
  }
  EXPECT_EQ(seen, 6);
}

/// Writes a suite whose kernels do not compile in a workspace that knows the baselines' times, so
/// nothing is measured.
void write_broken_suite(const Workspace& w) {
  write_known_task(w);
  w.write("twice.cpu.txt", "===\n!repeat forever\n```cpp\nvoid twice(int n) { broken }\n```\n");
  w.write("a.yaml",
          "name: a\ntasks: twice\nmodels: [\"scripted:{task}.{target}.txt\", real]\nstrategies: "
          "refine\n"
          "feedback: [none, errors]\nbudget: { evaluations: 2 }\ntables: [rounds, outcomes]\n");
}

TEST(Suites, RunWithAScriptAndAreKeptLikeAnyRun) {
  const Workspace w(Whose::Suite);
  write_broken_suite(w);
  const Ran ran = w.kw({"suite", "a.yaml", "--jobs", "1", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json cells = ran.json()["cells"];
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_THAT(cells[2]["trouble"].get<std::string>(), HasSubstr("kw suite a.yaml --model"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cells[i]["attempts"], 2);
    EXPECT_EQ(cells[i]["speedup"], 0);
    EXPECT_EQ(w.kw({"replay", cells[i]["run"]}).code, 0);
  }
  // One prompt contains the compiler's message, and the other does not.
  const auto prompt = [&](int i) {
    return w.kw({"prompt", cells[i]["run"], "--attempt", "2"}).out;
  };
  const bool is_first_blind = cells[0]["feedback"] == "none";
  EXPECT_THAT(prompt(is_first_blind ? 0 : 1), testing::Not(HasSubstr("was not declared")));
  EXPECT_THAT(prompt(is_first_blind ? 1 : 0), HasSubstr("was not declared"));
  const Ran again = w.kw({"suite", "a.yaml"});
  EXPECT_THAT(again.err, HasSubstr(", known"));
  EXPECT_THAT(again.out, HasSubstr("| 1     | 1       | 1.00"));
  EXPECT_EQ(w.kw({"runs", "--json"}).json()["runs"].size(), 2u) << "none was made again";
}

TEST(Suites, ARecordedRunIsALandscapeForOtherStrategies) {
  const Workspace w(Whose::Suite);
  ASSERT_LT(w.kw({"optimize", "synthetic:1", "--attempts", "40"}).code, 2);
  ASSERT_EQ(w.kw({"export", "synthetic-1", "--out", "run.jsonl"}).code, 0);
  w.write("r.yaml",
          "name: r\ntasks: [\"recorded:synthetic-1\", \"recorded:run.jsonl\"]\n"
          "strategies: [random, refine, evolve, bandit]\nrewards: [speedup, roofline]\n"
          "budget: { evaluations: 12 }\n");
  const Ran ran = w.kw({"suite", "r.yaml", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json cells = ran.json()["cells"];
  ASSERT_EQ(cells.size(), 4u * 2 * 2);
  const double best = w.kw({"runs", "--json"}).json()["runs"][0]["best_speedup"];
  for (std::size_t i = 0; i < cells.size(); i += 2) {
    const json& of_run = cells[i];
    EXPECT_EQ(of_run["speedup"], cells[i + 1]["speedup"]) << "an export says the same";
    EXPECT_EQ(of_run["record"], cells[i + 1]["record"]);
    EXPECT_GE(of_run["optimum"].get<double>(), best);
    const json& record = of_run["record"];
    EXPECT_EQ(record["same"].get<int>() + record["alike"].get<int>() + record["none"].get<int>(),
              of_run["attempts"]);
    if (of_run["strategy"] == "random") {
      EXPECT_EQ(record["none"], 0);
    }
  }
  EXPECT_THAT(w.kw({"suite", "r.yaml"}).out, HasSubstr("not recorded"));
  // A search over recorded attempts, without a model, uses engine and store too.
  const Ran again = w.kw(
      {"optimize", "recorded:run.jsonl", "--strategy", "random", "--attempts", "12", "--json"});
  ASSERT_LT(again.code, 2) << again.err;
  EXPECT_EQ(w.kw({"replay", "recorded-1"}).code, 0);
  const std::string lines = w.read("run.jsonl");
  w.write("run.jsonl", lines.substr(0, lines.rfind('\n', lines.size() - 2) + 1));
  for (const char* command : {"replay", "resume"}) {
    const Ran refused = w.kw({command, "recorded-1"});
    EXPECT_NE(refused.code, 0) << command;
    EXPECT_THAT(refused.err, HasSubstr("has changed since the run began")) << command;
  }
  EXPECT_EQ(w.kw({"optimize", "recorded:nothing", "--strategy", "random"}).code, 2);
}

TEST(Suites, KilledAnywhereTheyGoOn) {
  const Workspace w;
  w.write("k.yaml",
          "name: k\ntasks: [\"synthetic:1:4:20\", \"synthetic:2:4:20\"]\n"
          "strategies: [greedy, random]\nbudget: { evaluations: 10 }\n");
  const auto finished = [&] {
    int count = 0;
    const json runs = w.kw({"runs", "--json"}).json()["runs"];
    for (const json& run : runs) count += run["state"] == "finished";
    return count;
  };
  auto process = w.start({"suite", "k.yaml"});
  ASSERT_TRUE(wait_until([&] { return finished() > 0; }));
  process.kill_tree();
  EXPECT_EQ(ended(process.wait(kPatience)).signal, SIGKILL);
  const Ran ran = w.kw({"suite", "k.yaml", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["rows"].size(), 2u);
  EXPECT_THAT(ran.err, HasSubstr("known"));
  EXPECT_EQ(w.kw({"runs", "--json"}).json()["runs"].size(), 4u) << "each was made once";
  EXPECT_EQ(finished(), 4);
}

TEST(Suites, WrongSpecsAreTurnedDown) {
  const Workspace w;
  w.write("a.yaml", "name: a\ntask: saxpy\nstrategies: greedy\nbudget: { evaluations: 1 }\n");
  const Ran ran = w.kw({"suite", "a.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("a.yaml:2:1: unknown key 'task' in a suite (did you mean 'tasks'"));
  EXPECT_EQ(w.kw({"suite", "none.yaml"}).code, 2);
  EXPECT_EQ(w.kw({"suite", "a.yaml", "--jobs", "0"}).code, 2);
}

}  // namespace
}  // namespace kw::program
