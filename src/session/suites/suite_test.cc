// Tests of a suite's searches: which ones a spec gives, how each is started, and that finished
// searches are not run again.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error_for_test.h"
#include "base/text.h"
#include "record/codec.h"
#include "report/suite_tables.h"
#include "session/suite_run.h"
#include "session/suites/suite_cells.h"

namespace kw::session {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const task::SuiteWords kWords{
    {"greedy", "random", "refine", "best-of-n", "evolve", "graph-walk", "coder-judge"},
    {"speedup", "roofline"}};

class SuitePlanTest : public testing::Test {
 protected:
  SuitePlanTest() { options_.workspace = dir_.path().string(); }

  static task::SuiteSpec spec(const std::string& text) {
    auto spec = task::parse_suite("name: a\n" + text, "a.yaml", kWords);
    EXPECT_TRUE(spec) << spec.error().what;
    return spec ? *spec : task::SuiteSpec();
  }
  std::vector<PlannedCell> plans(const std::string& text, std::vector<std::string> models = {}) {
    auto plans = plan_cells(options_, spec(text), {"a.yaml", std::move(models)});
    EXPECT_TRUE(plans) << plans.error().what;
    return plans ? *plans : std::vector<PlannedCell>();
  }
  std::string complaint(const std::string& text) {
    const auto plans = plan_cells(options_, spec(text), {"a.yaml", {}});
    EXPECT_FALSE(plans) << text;
    return plans ? "" : place_and_about(plans.error());
  }
  static std::string words(const PlannedCell& plan) { return join(plan.words, " "); }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-suite").value());
  Options options_;
};

TEST_F(SuitePlanTest, EveryCombinationThatMeansSomethingIsACell) {
  const auto all = plans(
      "tasks: [saxpy, relu]\nmodels: [m:1, m:2]\nstrategies: [greedy, refine, coder-judge]\n"
      "presets: [sketch, paper]\nrewards: [speedup, roofline]\nseeds: 1..3\n"
      "feedback: [none, profile]\nknowledge: [on, off]\nbudget: { evaluations: 5, calls: 4 }\n");
  // The settings that vary are rewards for greedy; models, rewards, feedback and knowledge for
  // refine; and presets too for coder-judge. Each is run for two tasks and three seeds.
  EXPECT_THAT(all, SizeIs((2 + 2 * 2 * 2 * 2 + 2 * 2 * 2 * 2 * 2) * 2 * 3));
  std::set<std::string> labels;
  for (const PlannedCell& plan : all) labels.insert(plan.label);
  EXPECT_EQ(labels.size(), all.size());
  EXPECT_EQ(words(all[0]),
            "optimize saxpy --strategy greedy --reward speedup --target cpu --seed 1 --attempts 5 "
            "--no-memory");
  EXPECT_THAT(words(all.back()),
              AllOf(HasSubstr("--preset paper"), HasSubstr("--reward roofline"),
                    HasSubstr("--attempts 5 --calls 4"), HasSubstr("--model m:2"),
                    HasSubstr("--feedback profile --no-knowledge --from-scratch"),
                    Not(HasSubstr("--profile"))));
}

TEST_F(SuitePlanTest, CellsLearnNothingFromEachOther) {
  const auto all = plans(
      "tasks: saxpy\nmodels: m:1\nstrategies: graph-walk\nstart: experts\ntargets: cuda\n"
      "budget: { calls: 4 }\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(words(all[0]), AllOf(HasSubstr("--freeze-memory --freeze-graph"),
                                   HasSubstr("--profile"), Not(HasSubstr("--from-scratch"))));
}

TEST_F(SuitePlanTest, RepairsAreForStrategiesThatMend) {
  const std::string text =
      "tasks: saxpy\nmodels: m:1\nstrategies: [refine, evolve]\nbudget: { calls: 4 }\n";
  const auto usual = plans(text);
  const auto told = plans(text + "repairs: 0\n");
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_THAT(words(told[0]), HasSubstr("--repairs 0"));
  EXPECT_THAT(words(told[1]), Not(HasSubstr("--repairs")));
  EXPECT_THAT(words(usual[0]), Not(HasSubstr("--repairs")));
  EXPECT_NE(told[0].label, usual[0].label);
  EXPECT_EQ(told[1].label, usual[1].label) << "the same run";
}

TEST_F(SuitePlanTest, TheModelsOfTheCommandLineStandForReal) {
  const std::string text = "tasks: saxpy\nstrategies: refine\nbudget: { calls: 4 }\n";
  const auto waits = plans(text + "models: [m:1, real]\n");
  ASSERT_THAT(waits, SizeIs(2));
  EXPECT_THAT(waits[1].cell.trouble, HasSubstr("kw suite a.yaml --model"));
  EXPECT_THAT(waits[1].words, IsEmpty());
  EXPECT_FALSE(waits[1].is_inside());
  const auto real = plans(text + "models: [m:1, real]\n", {"x:1", "x:2"});
  ASSERT_THAT(real, SizeIs(3));
  EXPECT_EQ(real[0].cell.method.model, "m:1");
  EXPECT_EQ(real[2].cell.method.model, "x:2");
  const auto instead = plans(text + "models: [m:1]\n", {"x:1"});
  ASSERT_THAT(instead, SizeIs(1));
  EXPECT_EQ(instead[0].cell.method.model, "x:1");
}

TEST_F(SuitePlanTest, ALabelIsTheSearchAndNothingElse) {
  const std::string text = "strategies: greedy\ntasks: synthetic:1\n";
  const auto label = [&](const std::string& more) { return plans(text + more)[0].label; };
  const std::string one = label("budget: { evaluations: 5 }\n");
  EXPECT_EQ(label("budget: { evaluations: 5 }\nseeds: 1..4\ntables: budget\n"), one);
  EXPECT_NE(label("budget: { evaluations: 6 }\n"), one);
  EXPECT_NE(label("budget: { evaluations: 5 }\nrewards: roofline\n"), one);
}

TEST_F(SuitePlanTest, WhatCannotBeIsSaidAtItsPlace) {
  const std::string budget = "budget: { evaluations: 5 }\n";
  EXPECT_THAT(complaint("tasks: [saxpi]\nstrategies: greedy\n" + budget),
              HasSubstr("a.yaml:2:9 saxpi -> saxpy"));
  EXPECT_THAT(complaint("tasks: saxpy\nstrategies: [greedy, refine]\n" + budget),
              HasSubstr("a.yaml:3:22 refine: models"));
  EXPECT_THAT(complaint("tasks: saxpy\nstrategies: greedy\nbudget: { calls: 1 }\n"),
              HasSubstr("a.yaml:3:13 greedy: evaluations"));
  EXPECT_THAT(complaint("tasks: [techniques:1, saxpy]\nstrategies: greedy\n" + budget),
              HasSubstr("a.yaml:2:23 tasks of two kinds"));
  EXPECT_THAT(complaint("tasks: techniques:x\nstrategies: greedy\n" + budget),
              HasSubstr("a.yaml:2:8 techniques: seed"));
  EXPECT_THAT(complaint("tasks: synthetic:1\nmodels: m:1\nstrategies: refine\n" + budget),
              HasSubstr("refine: synthetic:1"));
  EXPECT_THAT(complaint("tasks: saxpy\nstrategies: greedy\nsamples: attempts\n" + budget),
              HasSubstr("greedy: samples"));
}

TEST_F(SuitePlanTest, AFinishedRunIsReadAndNotMadeAgain) {
  const std::string text = "tasks: saxpy\nstrategies: greedy\nbudget: { evaluations: 5 }\n";
  const auto all = plans(text);
  auto store = store::RunStore::open(dir_.path()).value();
  RunConfig config;
  config.task = "saxpy";
  config.label = all[0].label;
  RunSummary run = store.create(config, "then").value();
  Attempt attempt;
  attempt.number = 1;
  attempt.ask = R"({"role":"write"})";
  attempt.evaluation.verdict = {Stage::Compile, Outcome::CompileFailed, ""};
  ASSERT_TRUE(store.append(run, attempt));
  attempt.number = 2;
  attempt.ask = R"({"role":"tune"})";
  attempt.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  attempt.against_baseline.value = 3;
  ASSERT_TRUE(store.append(run, attempt));
  Evaluation confirmed;
  confirmed.verdict = {Stage::Measure, Outcome::Correct, ""};
  confirmed.speedup.value = 2.5;
  confirmed.speedup.is_faster = true;
  ASSERT_TRUE(store.events().append(run.id, {0, "confirm", 0, encode(confirmed)}));
  run.state = RunState::Finished;
  run.is_confirmed = true;
  run.spent.calls = 7;
  ASSERT_TRUE(store.update(run));
  bool was_new = true;
  SuiteWays ways;
  ways.on_cell = [&](const report::SuiteCell&, bool is_new) { was_new = is_new; };
  const auto cells = run_cells(options_, store, spec(text), all, ways);
  ASSERT_TRUE(cells) << describe(cells.error());
  EXPECT_FALSE(was_new);
  const report::SuiteCell& cell = cells->front();
  EXPECT_EQ(cell.trouble, "");
  EXPECT_EQ(cell.run, "saxpy-1");
  EXPECT_EQ(cell.speedup, 2.5) << "as confirmed, not as the search saw it";
  EXPECT_TRUE(cell.is_win);
  EXPECT_EQ(cell.spent.calls, 7);
  ASSERT_THAT(cell.tries, SizeIs(2));
  EXPECT_TRUE(cell.tries[0].is_written);
  EXPECT_FALSE(cell.tries[1].is_written);
  EXPECT_EQ(cell.tries[1].speedup, 3);
}

TEST_F(SuitePlanTest, ACorrectKernelThatWonNothingIsASampleOfAtMostOne) {
  auto store = store::RunStore::open(dir_.path()).value();
  const auto read = [&](const std::vector<Outcome>& outcomes, std::optional<Outcome> confirmed) {
    RunConfig config;
    config.task = "saxpy";
    RunSummary run = store.create(config, "then").value();
    int number = 0;
    for (const Outcome outcome : outcomes) {
      Attempt attempt;
      attempt.number = ++number;
      attempt.evaluation.verdict = {Stage::Measure, outcome, ""};
      attempt.against_baseline.value = outcome == Outcome::Correct ? 0.6 * number : 0;
      EXPECT_TRUE(store.append(run, attempt));
    }
    if (confirmed) {
      Evaluation e;
      e.verdict = {Stage::Measure, *confirmed, ""};
      e.speedup.value = 1.2;
      EXPECT_TRUE(store.events().append(run.id, {0, "confirm", 0, encode(e)}));
    }
    run.state = RunState::Finished;
    EXPECT_TRUE(store.update(run));
    report::SuiteCell cell;
    EXPECT_TRUE(read_result(store, run.name, cell));
    return cell.speedup;
  };
  using enum Outcome;
  EXPECT_EQ(read({WrongResult}, {}), 0);
  EXPECT_EQ(read({Correct, WrongResult}, {}), 0.6);
  EXPECT_EQ(read({Correct, Correct}, {}), 1) << "1.2 in search, and nothing confirmed";
  EXPECT_EQ(read({Correct, Correct}, Correct), 1.2) << "as confirmed, though no win";
  EXPECT_EQ(read({Correct, Correct}, WrongResult), 0);
}

TEST_F(SuitePlanTest, WorldsAreTheSameForEveryNumberOfThreads) {
  const std::string text =
      "tasks: [techniques:1, techniques:2]\nstrategies: [random, evolve]\nseeds: 1..3\n"
      "feedback: [none, profile]\nbudget: { evaluations: 40 }\ntables: [rounds, budget]\n";
  const auto all = plans(text);
  EXPECT_THAT(all, SizeIs((1 + 2) * 6)) << "random has nothing written";
  auto store = store::RunStore::open(dir_.path()).value();
  std::vector<std::string> tables;
  for (const int jobs : {1, 4}) {
    SuiteWays ways;
    ways.jobs = jobs;
    report::SuiteResult result{spec(text), {}};
    result.cells = run_cells(options_, store, result.spec, all, ways).value();
    for (const report::SuiteCell& cell : result.cells) {
      EXPECT_EQ(cell.tries.size(), 40u);
      EXPECT_GT(cell.optimum, 1);
      EXPECT_LE(cell.speedup, cell.optimum);
    }
    tables.push_back(report::suite_markdown(result));
  }
  EXPECT_EQ(tables[0], tables[1]);
  EXPECT_THAT(tables[0], HasSubstr("Regret"));
  EXPECT_THAT(store.list().value(), IsEmpty());
}

TEST_F(SuitePlanTest, ALandscapeStandsForTheTasks) {
  const auto worlds = in_worlds(
      spec("levels: { e: [saxpy], h: [relu] }\nstrategies: refine\nbudget: { calls: 9 }\n"), 3);
  ASSERT_THAT(worlds.tasks, SizeIs(3));
  EXPECT_EQ(worlds.tasks[2].name.text, "techniques:3");
  EXPECT_EQ(worlds.tasks[1].level, "h");
  EXPECT_EQ(worlds.tasks[2].level, "e");
  EXPECT_EQ(worlds.budget.evaluations, 9);
  EXPECT_EQ(worlds.budget.calls, 0);
  EXPECT_EQ(worlds.name, "a landscape");
}

}  // namespace
}  // namespace kw::session
