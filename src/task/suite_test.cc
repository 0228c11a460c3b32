// Tests of suite specs: how valid ones are read, and the complaints about invalid ones.
// SPDX-License-Identifier: Apache-2.0
#include "task/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"

namespace kw::task {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SuiteWords kWords{{"greedy", "evolve"}, {"speedup", "roofline"}};

Result<SuiteSpec> parse(const std::string& text) { return parse_suite(text, "a.yaml", kWords); }

/// A line "PLACE ABOUT" for each complaint about a sound suite with `more`.
std::string complaint(const std::string& more) {
  const std::string whole = "name: a\ntasks: [t]\nstrategies: [greedy]\nbudget: { calls: 1 }\n";
  const auto spec = parse(whole + more);
  EXPECT_FALSE(spec) << more;
  return spec ? "" : place_and_about(spec.error());
}

TEST(Suite, SaysWhatIsCompared) {
  const auto spec = parse(R"(name: all
about: everything at once
levels:
  easy: [vector_add, softmax]
  hard: matmul
models: [scripted:a.txt, real]
strategies: [greedy, evolve]
presets: [paper]
rewards: [speedup, roofline]
seeds: [1..3, 9]
feedback: [none, profile]
knowledge: [on, off]
targets: [cpu, cuda]
budget: { evaluations: 8, usd: 0.5 }
start: experts
repairs: 5
samples: attempts
pass: [1, 5]
fast: [0, 1.5]
resources: 2
tables: [levels, rounds]
)");
  ASSERT_TRUE(spec) << spec.error().what;
  ASSERT_EQ(spec->tasks.size(), 3u);
  EXPECT_EQ(spec->tasks[1].name.text, "softmax");
  EXPECT_EQ(spec->tasks[1].level, "easy");
  EXPECT_EQ(spec->tasks[1].name.place.line, 4u);
  EXPECT_EQ(spec->tasks[2].level, "hard");
  EXPECT_EQ(spec->models[1].text, "real");
  EXPECT_EQ(spec->strategies.size(), 2u);
  EXPECT_THAT(spec->presets, ElementsAre("paper"));
  EXPECT_EQ(spec->rewards.size(), 2u);
  EXPECT_THAT(spec->seeds, ElementsAre(1u, 2u, 3u, 9u));
  EXPECT_THAT(spec->feedback, ElementsAre(FeedbackLevel::None, FeedbackLevel::Profile));
  EXPECT_THAT(spec->knowledge, ElementsAre(true, false));
  EXPECT_THAT(spec->targets, ElementsAre(Target::Cpu, Target::Cuda));
  EXPECT_EQ(spec->budget.evaluations, 8);
  EXPECT_EQ(spec->budget.usd, 0.5);
  EXPECT_TRUE(spec->starts_from_experts);
  EXPECT_EQ(spec->repairs, 5);
  EXPECT_EQ(spec->samples, SampleUnit::Attempt);
  EXPECT_THAT(spec->pass, ElementsAre(1, 5));
  EXPECT_THAT(spec->fast, ElementsAre(0, 1.5));
  EXPECT_EQ(spec->resources, 2);
  EXPECT_THAT(spec->tables, ElementsAre(SuiteTable::Levels, SuiteTable::Rounds));
}

TEST(Suite, HasDefaults) {
  const auto spec = parse("name: a\ntasks: t\nstrategies: greedy\nbudget: { calls: 3 }\n");
  ASSERT_TRUE(spec) << spec.error().what;
  EXPECT_THAT(spec->seeds, ElementsAre(1u));
  EXPECT_THAT(spec->feedback, ElementsAre(FeedbackLevel::Profile));
  EXPECT_EQ(spec->budget.calls, 3);
  EXPECT_EQ(spec->tasks[0].level, "");
  EXPECT_FALSE(spec->starts_from_experts);
  EXPECT_EQ(spec->repairs, std::nullopt);
}

TEST(Suite, ComplaintsPointAtThePlaceAndNameTheNearestWord) {
  EXPECT_THAT(complaint("seed: 3\n"), HasSubstr("a.yaml:5:1 a suite: unknown seed -> seeds"));
  EXPECT_THAT(complaint("feedback: [erors]\n"), HasSubstr("a.yaml:5:12 feedback: erors -> errors"));
  EXPECT_THAT(complaint("knowledge: [on, on]\n"), HasSubstr("a.yaml:5:17 knowledge: twice on"));
  EXPECT_THAT(complaint("repairs: 101\n"), HasSubstr("a.yaml:5:10 repairs"));
  EXPECT_THAT(complaint("rewards: [rooflin]\n"),
              HasSubstr("a.yaml:5:11 rewards: rooflin -> roofline"));
  EXPECT_THAT(complaint("levels: { a: [u] }\n"), HasSubstr(" tasks, levels"));
  EXPECT_THAT(complaint("seeds: 3..1\n"), HasSubstr("a.yaml:5:8 seeds: bounds"));
  EXPECT_THAT(complaint("seeds: [1, 1..2]\n"), HasSubstr("a.yaml:5:12 seeds: twice 1"));
  EXPECT_THAT(complaint("seeds: a..b\n"), HasSubstr("a.yaml:5:8 seeds: range"));
  EXPECT_THAT(complaint("seeds: []\n"), HasSubstr("a.yaml:5:8 seeds: empty"));
  EXPECT_THAT(complaint("pass: [0]\n"), HasSubstr("5:8 pass"));
  EXPECT_THAT(complaint("resources: 0\n"), HasSubstr("5:12 resources"));
  EXPECT_THAT(complaint("fast: [-1]\n"), HasSubstr("5:8 fast"));
  const auto missing = parse("name: a\ntasks: t\n");
  EXPECT_THAT(missing, IsErrorAbout(ErrorCode::BadInput,
                                    testing::AllOf(HasSubstr("a suite: lacks strategies"),
                                                   HasSubstr("a suite: lacks budget"))));
  const auto nothing = parse("name: A b\ntasks: [t, t]\nstrategies: [gredy]\nbudget: {}\n");
  EXPECT_THAT(nothing,
              IsErrorAbout(ErrorCode::BadInput,
                           testing::AllOf(HasSubstr("a.yaml:1:7 name"), HasSubstr("tasks: twice t"),
                                          HasSubstr("a.yaml:3:14 strategies: gredy -> greedy"),
                                          HasSubstr("budget: empty"))));
}

}  // namespace
}  // namespace kw::task
