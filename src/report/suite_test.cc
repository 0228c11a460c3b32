// Tests of a suite's tables, from given results of searches.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "report/suite_metrics.h"
#include "report/suite_tables.h"

namespace kw::report {
namespace {

using testing::HasSubstr;
using testing::Not;

SuiteCell cell(const std::string& strategy, const std::string& task, double speedup,
               std::vector<SuiteTry> tries = {}) {
  SuiteCell c;
  c.method.strategy = strategy;
  c.method.target = "cpu";
  c.task = task;
  c.level = task == "a" ? "easy" : "hard";
  c.speedup = speedup;
  c.is_win = speedup > 1;
  c.tries = std::move(tries);
  return c;
}

SuiteTry written(Outcome outcome, double speedup = 0) {
  return {true, Stage::Compile, outcome, speedup};
}

SuiteResult result() {
  SuiteResult r;
  r.spec.name = "s";
  r.spec.budget.calls = 4;
  r.spec.pass = {1, 2};
  r.spec.fast = {1};
  r.spec.resources = 2;
  r.cells = {cell("x", "a", 2, {written(Outcome::CompileFailed), written(Outcome::Correct, 2.5)}),
             cell("x", "a", 0, {written(Outcome::WrongResult)}),
             cell("x", "b", 4, {written(Outcome::Correct, 4)}),
             cell("x", "b", 1),
             cell("y", "a", 0),
             cell("y", "b", 0)};
  r.cells[4].trouble = "no device, \"none\"";
  r.cells[5].trouble = "another";
  return r;
}

double value(const SuiteRow& row, const std::string& name) {
  for (const SuiteMetric& m : row.metrics)
    if (m.name == name) return m.value.value_or(-1);
  return -2;
}

TEST(SuiteTables, RowsAreMetricsOverTasks) {
  const auto rows = suite_rows(result());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].tasks, 2);
  EXPECT_EQ(rows[0].samples, 4);
  EXPECT_EQ(value(rows[0], "pass@1"), 0.75);
  EXPECT_EQ(value(rows[0], "pass@2"), 1);
  EXPECT_EQ(value(rows[0], "fast_1"), 0.5);
  EXPECT_EQ(value(rows[0], "speedup@2"), 3);
  EXPECT_EQ(value(rows[0], "efficiency@2"), 1.5);
  EXPECT_NEAR(value(rows[0], "geomean_correct"), 2, 1e-12);
  ASSERT_TRUE(rows[0].metrics[0].interval);
  EXPECT_EQ(rows[1].samples, 0) << "what was not made is no failure";
  EXPECT_EQ(rows[1].missing, 2);
  EXPECT_EQ(rows[1].trouble, "no device, \"none\"");
  const auto levels = level_rows(result());
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_EQ(levels[0].level, "easy");
  EXPECT_EQ(value(levels[0], "pass@1"), 0.5);
}

TEST(SuiteTables, SamplesMayBeAttempts) {
  SuiteResult r = result();
  r.spec.samples = task::SampleUnit::Attempt;
  r.spec.pass = {1};
  const auto rows = suite_rows(r);
  EXPECT_EQ(rows[0].samples, 4);
  EXPECT_NEAR(value(rows[0], "pass@1"), (1.0 / 3 + 1) / 2, 1e-12);
  EXPECT_NEAR(value(rows[0], "speedup@1"), (2.5 / 3 + 4) / 2, 1e-12);
}

TEST(SuiteTables, MarkdownSaysWhatIsSharedOnceAndWhatIsMissing) {
  SuiteResult r = result();
  r.spec.tables = {task::SuiteTable::Levels, task::SuiteTable::Rounds, task::SuiteTable::Outcomes,
                   task::SuiteTable::Budget};
  const std::string text = suite_markdown(r);
  EXPECT_THAT(text, HasSubstr("Each run has 4 calls; target cpu. A sample is a run's winner"));
  EXPECT_THAT(text, Not(HasSubstr("| target")));
  EXPECT_THAT(text, HasSubstr("- Without a result: y (2 runs). no device"));
  EXPECT_THAT(text, Not(HasSubstr("| y "))) << "there is nothing to show of it";
  EXPECT_THAT(text, HasSubstr("By level"));
  // In round 1 of task x, one of three kernels did not compile and one was wrong.
  EXPECT_THAT(text, HasSubstr("| 1     | 3       | 0.33         | 0.33             | 0.33    |"));
  EXPECT_THAT(text, HasSubstr("| 2     | 1       | 0.00         | 0.00             | 1.00    |"));
  EXPECT_THAT(text, HasSubstr("confirmed wins"));
  EXPECT_THAT(text, HasSubstr("Geometric mean of the best speedup"));
}

TEST(SuiteTables, RegretIsToTheOptimum) {
  SuiteResult r;
  r.spec.budget.evaluations = 2;
  r.spec.tables = {task::SuiteTable::Budget};
  r.cells = {cell("x", "a", 2, {written(Outcome::CompileFailed), written(Outcome::Correct, 2)})};
  r.cells[0].optimum = 4;
  // The regret is log(optimum / best so far): log(4 / 1), then log(4 / 2).
  EXPECT_THAT(suite_markdown(r), HasSubstr("| 1.386   | 0.693   |"));
}

TEST(SuiteTables, CsvAndJsonHoldEveryCell) {
  const SuiteResult r = result();
  const std::string csv = suite_csv(r);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 7);
  EXPECT_THAT(csv, HasSubstr("s,a,easy,x,,,,,,cpu,0,,2,1,0,2,2,1,,,0,0,0,\n"));
  EXPECT_THAT(csv, HasSubstr(",\"no device, \"\"none\"\"\"\n"));
  const auto json = parse_json(suite_json(r), "test");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["cells"].size(), 6u);
  EXPECT_EQ((*json)["rows"][0]["metrics"]["pass@1"]["value"], 0.75);
  EXPECT_EQ((*json)["rows"][1]["missing"], 2);
  EXPECT_TRUE((*json)["rows"][1]["metrics"]["pass@1"]["value"].is_null());
}

TEST(SuiteTables, GoBetweenTheirMarks) {
  const std::string text = "a\n<!-- suite s -->\nold\n<!-- end of suite s -->\nb\n";
  const auto filled = put_tables(text, "s", "| new |\n");
  ASSERT_TRUE(filled);
  EXPECT_EQ(*filled, "a\n<!-- suite s -->\n\n| new |\n\n<!-- end of suite s -->\nb\n");
  EXPECT_EQ(put_tables(*filled, "s", "| new |\n").value(), *filled);
  EXPECT_FALSE(put_tables(text, "t", "x"));
}

}  // namespace
}  // namespace kw::report
