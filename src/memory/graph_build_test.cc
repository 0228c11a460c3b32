// Tests of the graph that recorded attempts and measured kernels of the playbook give.
// SPDX-License-Identifier: Apache-2.0
#include "memory/graph_build.h"

#include <gmock/gmock.h>

#include <cmath>

#include "memory/relabel.h"
#include "memory/test_task.h"

namespace kw::memory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Attempt made_from(int parent, Attempt attempt) {
  attempt.parent = parent;
  return attempt;
}

std::vector<SourceStep> steps_of(const std::vector<Attempt>& attempts) {
  StepReader reader("waves");
  for (const Attempt& attempt : attempts) reader.read(attempt);
  return reader.take();
}

TechniqueGraph graph_of_runs(const std::vector<std::vector<Attempt>>& runs) {
  TechniqueGraph graph;
  Relabeller names({"tiling", "fusion"});
  const Label label = [&](const std::string& n) { return names.label(n); };
  std::vector<WalkedWay> ways;
  for (const std::vector<Attempt>& attempts : runs) {
    const auto steps = steps_of(attempts);
    merge_steps(graph, steps, label, [](const std::string&) { return "sequential"; });
    for (const SourceStep& step : steps) ways.push_back(walked(step, label));
  }
  count_ways(graph, ways);
  return graph;
}

TechniqueGraph graph_of(const std::vector<Attempt>& attempts) { return graph_of_runs({attempts}); }

TEST(GraphBuild, VerifiedStepsBecomeEdgesWithCodeAndGain) {
  const TechniqueGraph graph = graph_of(
      {correct(1, "a", 2, {"tiling"}), made_from(1, correct(2, "b", 3, {"tiling", "fusion"}))});
  const TechniqueEdge* first = graph.edge("start", "tiling");
  const TechniqueEdge* second = graph.edge("tiling", "fusion");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(first->count, (StepCount{1, 1, std::log(2.0)}));
  EXPECT_EQ(second->count, (StepCount{1, 1, std::log(1.5)}));
  EXPECT_EQ(first->examples.at(0).before, "sequential");
  EXPECT_EQ(second->examples.at(0).before, "a");
  EXPECT_EQ(second->examples.at(0).after, "b");
  const auto again = parse_technique_graph(to_json(graph));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->edges().size(), 2U) << "edges to new nodes outlive saving";
}

TEST(GraphBuild, FailuresCountOnEdgesThatWorkedAndMakeNone) {
  const TechniqueGraph graph =
      graph_of({correct(1, "a", 2, {"tiling"}),
                made_from(1, failed(2, "x", Outcome::WrongResult, {}, {"tiling", "fusion"})),
                made_from(2, correct(3, "b", 3, {"tiling", "fusion"})),
                made_from(1, failed(4, "y", Outcome::Crashed, {}, {"tiling", "packing"}))});
  EXPECT_EQ(graph.edge("tiling", "fusion")->count, (StepCount{2, 1, std::log(1.5)}));
  EXPECT_EQ(graph.edge("tiling", "packing"), nullptr);
  EXPECT_EQ(graph.edge("start", "fusion"), nullptr) << "a mended step begins where the broken did";
}

TEST(GraphBuild, TriesOfAnEdgeBySeveralRunsAreOneCountInWhateverOrderTheyCome) {
  const std::vector<Attempt> worked = {correct(1, "a", 2, {"tiling"}),
                                       made_from(1, correct(2, "b", 4, {"tiling", "fusion"}))};
  const std::vector<Attempt> failed_there = {
      correct(1, "c", 3, {"Tiling"}),
      made_from(1, failed(2, "x", Outcome::WrongResult, {}, {"Tiling", "fusion"}))};
  for (const auto& runs : {std::vector{worked, failed_there}, std::vector{failed_there, worked}}) {
    const TechniqueGraph graph = graph_of_runs(runs);
    EXPECT_EQ(graph.edges().size(), 2U);
    const TechniqueEdge* first = graph.edge("start", "tiling");
    const TechniqueEdge* second = graph.edge("tiling", "fusion");
    ASSERT_NE(first, nullptr);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(first->count.tried, 2);
    EXPECT_EQ(first->count.worked, 2);
    EXPECT_NEAR(first->count.gain, std::log(2.0) + std::log(3.0), 1e-12);
    EXPECT_THAT(first->examples, SizeIs(2));
    EXPECT_EQ(second->count, (StepCount{2, 1, std::log(2.0)}))
        << "who failed on it may have come before whoever showed that it works";
    // Four evaluations used the edge: one failed, and each of the other three was the fastest of
    // its run.
    EXPECT_EQ(first->value, (StepValue{4, 3}));
    EXPECT_EQ(second->value, (StepValue{2, 1}));
  }
}

TEST(GraphBuild, RewardsAreSharesOfTheLargestOfTheirRun) {
  const TechniqueGraph graph =
      graph_of({correct(1, "a", 4, {"tiling"}), correct(2, "b", 1, {"tiling", "packing"}),
                made_from(1, correct(3, "c", 2, {"tiling", "fusion"}))});
  EXPECT_EQ(graph.edge("start", "tiling")->value, (StepValue{3, 1 + 0.25 + 0.5}));
  EXPECT_EQ(graph.edge("tiling", "packing")->value, (StepValue{1, 0.25}));
}

TEST(GraphBuild, TechniquesThatComeTogetherShareTheGain) {
  const TechniqueGraph graph = graph_of({correct(1, "a", 4, {"tiling", "fusion"})});
  EXPECT_THAT(graph.edge("start", "tiling")->examples, IsEmpty()) << "nobody wrote that code";
  EXPECT_NEAR(graph.edge("start", "tiling")->count.gain, std::log(2.0), 1e-12);
  EXPECT_NEAR(graph.edge("tiling", "fusion")->count.gain, std::log(2.0), 1e-12);
  EXPECT_THAT(graph.edge("tiling", "fusion")->examples, SizeIs(1));
}

TEST(GraphBuild, RecalledAttemptsAndUntimedOnesTeachNothingTwice) {
  Attempt again = correct(2, "a", 2, {"tiling"});
  again.recalled = 1;
  Attempt untimed = correct(3, "c", 0, {"fusion"});
  untimed.evaluation.verdict.outcome = Outcome::Unmeasurable;
  EXPECT_THAT(steps_of({correct(1, "a", 2, {"tiling"}), again, untimed}), SizeIs(1));
}

TEST(GraphBuild, AStepMayBeginAtAKernelThatWasGiven) {
  Attempt given = correct(1, "expert", 4, {"tiling"});
  given.candidate.origin = Origin::Playbook;
  const TechniqueGraph graph =
      graph_of({given, made_from(1, correct(2, "b", 6, {"tiling", "fusion"}))});
  EXPECT_EQ(graph.edge("start", "tiling"), nullptr) << "nobody took that step here";
  ASSERT_NE(graph.edge("tiling", "fusion"), nullptr);
  EXPECT_EQ(graph.edge("tiling", "fusion")->count, (StepCount{1, 1, std::log(1.5)}));
  EXPECT_EQ(graph.edge("tiling", "fusion")->examples.at(0).before, "expert");
}

TEST(GraphBuild, TheFifthTechniqueOfASourceCountsToo) {
  std::vector<std::string> shown;
  std::vector<Attempt> chain;
  for (int i = 1; i <= 6; ++i) {
    shown.push_back("t" + std::to_string(i));
    chain.push_back(made_from(i - 1, correct(i, "c" + std::to_string(i), 1 + i, shown)));
  }
  EXPECT_THAT(steps_of(chain), SizeIs(6));
}

TEST(Relabel, NamesOfTheSameWordsAreOne) {
  Relabeller names({"loop unrolling", "register tiling", "shared memory tiling"});
  EXPECT_EQ(names.label("Unrolled_loops"), "loop unrolling");
  EXPECT_EQ(names.label("unroll"), "loop unrolling") << "the only one with this word";
  EXPECT_EQ(names.label("tiling"), "tiling") << "two could be meant";
  EXPECT_EQ(names.label("tiles"), "tiling");
  EXPECT_EQ(names.label("  "), "");
  EXPECT_THAT(names.known(),
              ElementsAre("loop unrolling", "register tiling", "shared memory tiling", "tiling"));
}

TEST(GraphBuild, PlaybookStepsAreThoseWithSomethingNewAgainstTheKernelBefore) {
  const auto data = DataFiles::open(std::nullopt).value();
  const auto steps = playbook_steps(data, Target::Cpu);
  ASSERT_THAT(steps, testing::Not(IsEmpty()));
  bool has_successor = false;
  for (const PlaybookStep& step : steps) {
    has_successor = has_successor || !step.before_name.empty();
    EXPECT_EQ(step.before_name.empty(), step.code_before.empty()) << step.name;
    EXPECT_TRUE(step.before_name.empty() || step.before_name < step.name) << step.name;
  }
  EXPECT_TRUE(has_successor);
  TechniqueGraph graph;
  const Label as_it_is = [](const std::string& name) { return name; };
  for (const PlaybookStep& step : steps)
    merge_steps(graph, {recorded(step, 1.5)}, as_it_is,
                [](const std::string&) { return "sequential"; });
  for (const TechniqueEdge& edge : graph.edges()) EXPECT_EQ(edge.count.tried, edge.count.worked);
}

}  // namespace
}  // namespace kw::memory
