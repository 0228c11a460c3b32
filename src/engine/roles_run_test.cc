// Runs whose methods ask several roles: who is asked when, what they see, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <thread>

#include "engine/graphs.h"
#include "engine/recording_carrier_for_test.h"
#include "engine/traits.h"
#include "engine/writing_run_for_test.h"
#include "platform/memory_disk_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RolesRun : public WritingRun {
 protected:
  RunConfig with(const std::string& strategy, int attempts) const {
    RunConfig c = config(attempts);
    c.strategy = strategy;
    return c;
  }
};

TEST_F(RolesRun, AnAgentPlansWritesAndIsReviewedBeforeItIsJudged) {
  answers_.emplace(1, writes(0, "// UNFIT"));
  answers_.emplace(2, writes(0));
  answers_.emplace(3, writes(3, "// WRONG"));
  answers_.emplace(4, writes(3, "// mended"));
  const RunReport report = finished(with("agent", 4));
  EXPECT_THAT(counsel_asked_,
              ElementsAre("planner for 1, parent 0, sees", "critic for 1, parent 0, sees",
                          "critic for 2, parent 1, sees", "planner for 3, parent 2, sees 1 2",
                          "critic for 3, parent 2, sees", "critic for 4, parent 3, sees"));
  const auto all = attempts(report.run.name);
  EXPECT_EQ(all[0].evaluation.verdict.stage, Stage::Propose);
  EXPECT_EQ(all[0].evaluation.verdict.outcome, Outcome::Rejected);
  EXPECT_EQ(all[0].evaluation.verdict.seen.kind, EvidenceKind::TurnedDown);
  EXPECT_EQ(all[0].evaluation.findings.front().about, "critic");
  EXPECT_THAT(all[0].evaluation.findings.front().text, HasSubstr("word of the critic"));
  EXPECT_THAT(all[0].candidate.source, HasSubstr("UNFIT")) << "kept, so that it can be mended";
  EXPECT_EQ(told_[1].errand, Errand::Repair);
  EXPECT_THAT(told_[1].parent_source, HasSubstr("UNFIT"));
  EXPECT_THAT(told_[0].text, HasSubstr("word of the planner"));
  EXPECT_THAT(all[0].exchanges, testing::UnorderedElementsAre("planner of 1", "critic of 1"));
  EXPECT_EQ(all[0].usage.total(), 110 + 2 * 55);
  EXPECT_TRUE(all[3].evaluation.verdict.is_correct());
}

TEST_F(RolesRun, WhatACriticTurnedDownIsJudgedWhenItComesAgain) {
  for (int i = 1; i <= 3; ++i) answers_.emplace(i, writes(0, "// UNFIT"));
  const auto all = attempts(finished(with("agent", 3)).run.name);
  EXPECT_EQ(all[1].evaluation.verdict.outcome, Outcome::Rejected);
  EXPECT_TRUE(all[2].evaluation.verdict.is_correct()) << "the third time the referee decides";
  EXPECT_EQ(all[2].recalled, 0);
}

TEST_F(RolesRun, TheSketchsJudgeReadsTheLatestAndTheCoderStartsFromTheBest) {
  answers_.emplace(1, writes(3));
  answers_.emplace(2, writes(0));
  answers_.emplace(3, writes(2));
  RunConfig c = with("coder-judge", 3);
  c.preset = "sketch";
  finished(c);
  ASSERT_EQ(counsel_asked_.size(), 2u);
  EXPECT_THAT(counsel_asked_[1], HasSubstr("judge for 3, parent 2"));
  EXPECT_EQ(told_[2].parent, 1);
  EXPECT_EQ(told_[2].history, 0u) << "the coder sees the kernel and the judge's words";
  EXPECT_THAT(told_[2].text, HasSubstr("word of the judge"));
}

TEST_F(RolesRun, TheJudgesKernelIsProfiledFasterOrNot) {
  for (int i = 1; i <= 2; ++i) answers_.emplace(i, writes(i));
  for (const bool is_read : {false, true}) {
    RunConfig c = with(is_read ? "coder-judge" : "evolve", 2);
    c.profiles = true;
    const Surroundings s = surroundings();
    RecordingCarrier carrier(s.carrier);
    ASSERT_TRUE(
        run({s.workbench, carrier, s.store, s.clock, s.observer, {}, 1, "judge", s.writing}, c));
    const auto profiled =
        std::ranges::find(carrier.asked, true, &RecordingCarrier::Asked::profiles);
    ASSERT_NE(profiled, carrier.asked.end());
    EXPECT_EQ(profiled->of_slower, is_read);
  }
}

TEST_F(RolesRun, RewardRefineReturnsAtTheGoal) {
  answers_.emplace(1, writes(0, "// WRONG"));
  answers_.emplace(2, writes(3));
  for (int i = 3; i <= 6; ++i) answers_.emplace(i, writes(i % 3, "// " + std::to_string(i)));
  RunConfig c = with("reward-refine", 20);
  c.rounds = 6;
  c.goals.speedup = 1.2;
  const RunReport report = finished(c);
  EXPECT_THAT(report.run.stopped_by, HasSubstr("goal: reached"));
  EXPECT_EQ(report.run.attempts, 2);
  EXPECT_EQ(report.run.best_attempt, 2);
  c.goals = {};
  EXPECT_THAT(finished(c).run.stopped_by, HasSubstr("6 attempts; the best takes"));
}

TEST_F(RolesRun, ResumedAnywhereEveryMethodDecidesTheSame) {
  for (int i = 1; i <= 12; ++i)
    answers_.emplace(i, i % 4 == 2 ? writes(i % 3, "// WRONG " + std::to_string(i))
                                   : writes(i % 4, "// number " + std::to_string(i)));
  int runs = 0;
  for (const search::StrategyInfo& info : search::strategies()) {
    if (!info.is_writing) continue;
    SCOPED_TRACE(info.name);
    RunConfig c = with(std::string(info.name), 12);
    c.most_tuning_points = 1;
    c.freezes_graph = true;  // otherwise the second run would begin with what the first has taught
    const RunReport whole = finished(c);
    ++runs;
    EXPECT_EQ(
        join(replay(workbench_, store_, store_.find(whole.run.name).value()).value(), "\n") + "\n",
        log_of(whole.run));
    const std::string name = "synthetic-" + std::to_string(++runs);
    const auto first = run(surroundings([&] {
                             const auto run = store_.find(name);
                             return run && run->attempts >= 5;
                           }),
                           c);
    ASSERT_TRUE(first) << describe(first.error());
    ASSERT_TRUE(store_.update(first->run));
    const auto second = resume(surroundings(), store_.find(name).value());
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(log_of(second->run), log_of(whole.run));
  }
}

TEST_F(RolesRun, WhatAGraphSearchSeesIsKeptForLaterRuns) {
  const std::string names = "// kw: technique a, b\n";
  for (int i = 1; i <= 4; ++i)
    answers_.emplace(i, writes(i % 4, names + "// number " + std::to_string(i)));
  answers_.at(2) = writes(0, names + "// WRONG");
  writing_.graph.add("start", "a");
  writing_.graph.add("a", "b");
  RunConfig c = with("graph-walk", 4);
  c.most_tuning_points = 1;
  const RunReport first = finished(c);
  const TechniqueGraph learnt = workspace_graph(store_, Target::Cpu, {}).value();
  ASSERT_NE(learnt.edge("start", "a"), nullptr);
  EXPECT_GE(learnt.edge("start", "a")->count.tried, 1);
  // The run itself began with the graph from the playbook, and is replayed with that graph.
  EXPECT_EQ(recorded_graph(store_, first.run)->edge("start", "a")->count.tried, 0);
  EXPECT_TRUE(replay(workbench_, store_, store_.find(first.run.name).value()));
  const RunReport second = finished(c);
  EXPECT_EQ(to_json(recorded_graph(store_, second.run).value()), to_json(learnt))
      << "the next one begins with what was learnt";
  c.freezes_graph = true;
  const std::string before = to_json(workspace_graph(store_, Target::Cpu, {}).value());
  finished(c);
  EXPECT_EQ(to_json(workspace_graph(store_, Target::Cpu, {}).value()), before);
}

TEST_F(RolesRun, AnAuthorWhoRepeatsItselfEndsEveryRun) {
  constexpr int kMost = 400;
  int stagnated = 0;
  for (const search::StrategyInfo& info : search::strategies()) {
    if (!info.is_writing) continue;
    for (int i = 1; i <= kMost; ++i) answers_.insert_or_assign(i, writes(1));
    const RunReport report = finished(with(std::string(info.name), kMost));
    EXPECT_LT(report.run.attempts, kMost) << info.name << ": " << report.run.stopped_by;
    if (!report.run.stopped_by.starts_with("stagnation: ")) continue;
    ++stagnated;
    EXPECT_TRUE(replay(workbench_, store_, store_.find(report.run.name).value())) << info.name;
  }
  EXPECT_GT(stagnated, 5);
}

TEST_F(RolesRun, OnlyKernelsThatNameTheirStepTeachTheGraph) {
  writing_.graph.add("start", "loop_tiling");
  const auto learnt_from = [&](const std::vector<std::string>& lines) {
    answers_.clear();
    for (std::size_t i = 0; i < lines.size(); ++i)
      answers_.emplace(static_cast<int>(i) + 1, writes(0, lines[i]));
    RunConfig c = with("graph-walk", static_cast<int>(lines.size()));
    c.most_tuning_points = 1;
    finished(c);
    const TechniqueGraph graph = workspace_graph(store_, Target::Cpu, writing_.graph).value();
    return *graph.edge("start", "loop_tiling");
  };
  for (const char* line : {"// kw: technique threads, vectorization", "// nothing by name"}) {
    const TechniqueEdge ignored = learnt_from({line});
    EXPECT_EQ(ignored.count, StepCount());
    EXPECT_THAT(ignored.examples, IsEmpty());
  }
  // Two names with the same words name one step; a source that is sent again was learnt already.
  const TechniqueEdge taken =
      learnt_from({"// kw: technique tiled loops", "// kw: technique tiled loops"});
  EXPECT_EQ(taken.count.tried, 1);
  EXPECT_EQ(taken.count.worked, 1);
  EXPECT_EQ(taken.examples.size(), 1u);
}

TEST_F(RolesRun, AStepThatWorkedBecomesAnExampleWithItsCode) {
  const RunSummary run = store_.create(config(1), "").value();
  Attempt parent, child;
  parent.number = 1, child.number = 2, child.parent = 1;
  parent.candidate.source = "before", child.candidate.source = "after";
  parent.evaluation.verdict = child.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  child.plan = "tiles";
  RunSummary counted = run;
  counted.attempts = 1;
  ASSERT_TRUE(store_.append(counted, parent, {}));
  ASSERT_TRUE(
      teach_graph(store_, run, {}, child, {{"a", "b", {1, 1, 0.5}, {1, 1}, 1}}, "sequential"));
  ASSERT_TRUE(teach_graph(store_, run, {}, child,
                          {{"start", "a", {}, {1, 1}}, {"a", "c", {1, 0, 0}}}, "sequential"));
  ASSERT_TRUE(teach_graph(store_, run, {}, child, {{"start", "d", {1, 1, 0}}}, "sequential"));
  const TechniqueGraph graph = workspace_graph(store_, Target::Cpu, {}).value();
  EXPECT_EQ(graph.edge("a", "b")->value, (StepValue{1, 1}));
  ASSERT_EQ(graph.edge("a", "b")->examples.size(), 1u);
  EXPECT_EQ(graph.edge("a", "b")->examples[0].before, "before");
  EXPECT_EQ(graph.edge("a", "b")->examples[0].after, "after");
  EXPECT_EQ(graph.edge("a", "b")->examples[0].detail, "tiles");
  EXPECT_THAT(graph.edge("start", "a")->examples, IsEmpty()) << "it was taken earlier";
  EXPECT_THAT(graph.edge("a", "c")->examples, IsEmpty()) << "verified steps only";
  EXPECT_EQ(graph.edge("start", "d")->examples.at(0).before, "sequential");
}

TEST_F(RolesRun, TwoThatTeachAtOnceLoseNothing) {
  constexpr int kLessons = 40;
  const RunSummary run = store_.create(config(1), "").value();
  const auto teach = [&] {
    platform::MemoryDisk disk;
    auto store = store::RunStore::open(dir_.path(), disk).value();
    for (int i = 0; i < kLessons; ++i)
      EXPECT_TRUE(teach_graph(store, run, {}, Attempt(), {{"a", "b", {1, 0, 0}}}, ""));
  };
  {
    const std::jthread one(teach), other(teach);
  }
  const TechniqueGraph graph = workspace_graph(store_, Target::Cpu, {}).value();
  EXPECT_EQ(graph.edge("a", "b")->count.tried, 2 * kLessons);
}

TEST(TraitsOf, TellWhatWasMeasured) {
  Attempt attempt;
  attempt.candidate.source = "void f() { a = b * c + d; }";
  attempt.evaluation.object_sha256 = "o";
  WorkloadResult near, far;
  near.group = far.group = Group::Time;
  near.roofline.fraction = 0.8, near.roofline.bound = Bound::Memory;
  far.roofline.fraction = 0.3, far.roofline.bound = Bound::Compute;
  attempt.evaluation.workloads = {near, far};
  KernelProfile kernel;
  kernel.counters = {{"launch__registers_per_thread", 127.5},
                     {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 95}};
  attempt.evaluation.profiles = {{"w", {kernel}, "", ""}};
  const search::Traits traits = traits_of(attempt, true);
  EXPECT_EQ(traits.bound, Bound::Compute) << "of the one that is farther from its ceiling";
  EXPECT_EQ(traits.used.at("memory"), 0.95) << "the counter is higher than the roofline";
  EXPECT_EQ(traits.used.at("compute"), 0.3);
  EXPECT_EQ(traits.used.at("registers"), 0.5);
  EXPECT_FALSE(traits.used.contains("occupancy"));
  EXPECT_NE(traits.sketch, search::Sketch{});
  EXPECT_EQ(traits.object, "o");
  EXPECT_EQ(traits_of(attempt, false).sketch, search::Sketch{});
}

}  // namespace
}  // namespace kw::engine
