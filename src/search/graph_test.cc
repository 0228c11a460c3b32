// Tests of graph-walk and graph-search, step by step.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "search/dialogue_for_test.h"
#include "search/graph_author.h"

namespace kw::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A graph with the edges start → a, b; a → c; b → c; c → a.
TechniqueGraph small_graph() {
  TechniqueGraph graph;
  for (const auto& [from, to] : {std::pair("start", "a"), std::pair("start", "b"),
                                 std::pair("a", "c"), std::pair("b", "c"), std::pair("c", "a")})
    graph.add_example(graph.add(from, to), {"example", std::string("how to ") + to, "x", "y"});
  return graph;
}

StrategyOptions on_graph(TechniqueGraph graph, const std::string& preset = "",
                         const std::string& guide = "") {
  StrategyOptions options;
  options.graph = std::make_shared<TechniqueGraph>(std::move(graph));
  options.preset = preset;
  options.guide = guide;
  return options;
}

TEST(GraphWalk, FollowsTheEdgesFromTheSequentialCode) {
  Dialogue d("graph-walk", on_graph(small_graph()));
  const Ask first = d.ask();
  EXPECT_EQ(first.errand, Errand::Write);
  EXPECT_EQ(first.manner.writer.prompt, "graph_first");
  EXPECT_TRUE(first.manner.technique == "a" || first.manner.technique == "b");
  EXPECT_THAT(first.manner.examples, SizeIs(1)) << "the knowledge of the edge";
  d.works(2);
  const Ask second = d.ask();
  EXPECT_EQ(second.errand, Errand::Improve);
  EXPECT_EQ(second.parent, 1);
  EXPECT_EQ(second.manner.technique, "c");
  EXPECT_EQ(second.manner.writer.prompt, "apply");
  d.works(1);
  EXPECT_EQ(d.ask().parent, 2) << "the chain goes on, slower or not";
}

TEST(GraphWalk, AStepHasFiveTriesThenTheWalkIsOver) {
  Dialogue d("graph-walk", on_graph(small_graph()));
  d.ask(), d.works(2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(d.ask().errand, i == 0 ? Errand::Improve : Errand::Repair);
    d.fails();
  }
  const Ask anew = d.ask();
  EXPECT_EQ(anew.errand, Errand::Write);
  EXPECT_THAT(anew.why, HasSubstr("walk 2"));
}

TEST(GraphWalk, ByWeightTakesWhatHasPaid) {
  TechniqueGraph graph = small_graph();
  graph.count(graph.add("start", "b"), {20, 20, 20});
  StrategyOptions options = on_graph(std::move(graph), "", "weights");
  int good = 0;
  for (int seed = 0; seed < 50; ++seed) {
    options.seed = Seed::from_number(static_cast<std::uint64_t>(seed));
    good += Dialogue("graph-walk", options).ask().manner.technique == "b";
  }
  EXPECT_GT(good, 45);
}

TEST(GraphWalk, AModelChoosesFromStatisticsAndExamples) {
  TechniqueGraph graph = small_graph();
  graph.count(graph.add("start", "b"), {4, 2, 1.0});
  Dialogue d("graph-walk", on_graph(std::move(graph), "", "llm"));
  const Ask ask = d.ask();
  ASSERT_THAT(ask.manner.counsel, SizeIs(1));
  EXPECT_EQ(ask.manner.counsel[0].role, "guide");
  ASSERT_THAT(ask.manner.menu, SizeIs(2));
  EXPECT_EQ(ask.manner.menu[0].name, "b") << "what has paid comes first";
  EXPECT_THAT(ask.manner.menu[0].what, HasSubstr("tried 4 times, worked 2, mean gain 1.65x"));
  EXPECT_THAT(ask.manner.examples, SizeIs(2));
  d.works(2, {}, {}, "b");
  EXPECT_THAT(d.ask().manner.menu, ElementsAre(testing::Field(&MenuItem::name, "c")))
      << "on from the node that was chosen";
}

TEST(GraphWalk, TeachesTheGraphWhatAStepDid) {
  Dialogue d("graph-walk", on_graph(small_graph()));
  auto* learner = dynamic_cast<GraphLearner*>(&d.strategy());
  ASSERT_NE(learner, nullptr);
  d.ask(), d.works(2);
  d.ask(), d.works(4);
  const auto updates = learner->take_updates();
  ASSERT_THAT(updates, SizeIs(3)) << "the first step, and the second with the first on its way";
  EXPECT_EQ(updates[2].to, "c");
  EXPECT_EQ(updates[2].count.worked, 1);
  EXPECT_NEAR(updates[2].count.gain, std::log(2), 1e-12);
  EXPECT_THAT(learner->take_updates(), IsEmpty()) << "each is told once";
}

TEST(GraphWalk, AKernelThatLeavesTheStepOutTeachesTheGraphNothing) {
  for (const auto& shown : {std::vector<std::string>{"else"}, {}}) {
    Dialogue d("graph-walk", on_graph(small_graph()));
    auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
    d.set_shown(shown);
    d.ask(), d.works(2);
    EXPECT_THAT(learner.take_updates(), IsEmpty());
    EXPECT_EQ(d.ask().parent, 1) << "the walk goes on all the same";
    d.set_shown({"else", "c"});
    d.works(4);
    EXPECT_EQ(learner.take_updates().back().count, (StepCount{1, 1, std::log(2)}));
  }
}

TEST(GraphWalk, WhatWasJudgedBeforeTeachesTheGraphNothing) {
  Dialogue d("graph-walk", on_graph(small_graph()));
  auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
  Traits repeated;
  repeated.is_repeated = true;
  d.ask(), d.works(2, repeated);
  EXPECT_THAT(learner.take_updates(), IsEmpty());
}

TEST(GraphSearchSketch, AModelThatIgnoresTheStepChangesTheSearchOnly) {
  Dialogue d("graph-search", on_graph(small_graph(), "sketch"));
  auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
  d.set_shown({"threads"});
  std::set<std::string> asked;
  for (int i = 0; i < 6; ++i) asked.insert(d.ask().manner.technique), d.works(2);
  EXPECT_THAT(learner.take_updates(), IsEmpty());
  EXPECT_GT(asked.size(), 1u) << "Q and N of this search go on";
}

TEST(GraphWalk, EveryTryOfAStepTeachesTheGraph) {
  Dialogue d("graph-walk", on_graph(small_graph()));
  auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
  d.ask(), d.works(2);
  learner.take_updates();
  for (int tries = 1; tries <= 2; ++tries) {
    d.ask(), d.fails();
    const auto failed = learner.take_updates();
    ASSERT_THAT(failed, SizeIs(2)) << "both edges of the walk";
    EXPECT_EQ(failed[0].value, (StepValue{1, 0}));
    EXPECT_EQ(failed[1].to, "c");
    EXPECT_EQ(failed[1].count, (StepCount{1, 0, 0}));
  }
  d.ask(), d.works(4);
  EXPECT_EQ(learner.take_updates().back().count, (StepCount{1, 1, std::log(2)}));
}

TEST(GraphSearchPaper, ExpandsAllSuccessorsBeforeOneTwiceAndRollsOut) {
  StrategyOptions options = on_graph(small_graph(), "paper");
  Dialogue d("graph-search", options);
  const Ask first = d.ask();
  EXPECT_THAT(first.why, HasSubstr("rollout 1 of 10, expanding: start"));
  d.works(2);
  const Ask second = d.ask();
  EXPECT_THAT(second.why, HasSubstr("rolling out"));
  EXPECT_EQ(second.parent, 1);
  d.fails();  // a rollout ends where a step fails: nothing is repaired
  const Ask third = d.ask();
  EXPECT_EQ(third.errand, Errand::Write);
  EXPECT_THAT(third.why, HasSubstr("rollout 2 of 10"));
  EXPECT_NE(third.manner.technique, first.manner.technique) << "its sibling was not visited yet";
}

TEST(GraphSearchPaper, GoesOnWhereTheRewardWas) {
  StrategyOptions options = on_graph(small_graph(), "paper");
  options.rounds = 30;
  std::map<std::string, int> first_steps;
  Dialogue d("graph-search", options);
  // Every path that begins with b fails; a followed by c is fast.
  std::map<int, std::string> paths{{0, ""}};
  int through_a = 0;
  while (!d.strategy().finished()) {
    const Ask ask = d.ask();
    const std::string path = paths[ask.parent] + ask.manner.technique;
    paths[ask.id] = path;
    through_a += path.starts_with('a');
    path.starts_with('b') ? d.fails() : d.works(static_cast<double>(path.size()));
  }
  EXPECT_GT(through_a, 20);
}

TEST(GraphSearchPaper, EndsAfterItsRolloutsAndLeavesTheGraphAlone) {
  StrategyOptions options = on_graph(small_graph(), "paper");
  options.rounds = 3;
  Dialogue d("graph-search", options);
  int rollouts = 0;
  while (!d.strategy().finished()) {
    rollouts += d.ask().why.find("expanding") != std::string::npos;
    d.fails();
  }
  EXPECT_EQ(rollouts, 3);
  EXPECT_THAT(dynamic_cast<GraphLearner&>(d.strategy()).take_updates(), IsEmpty());
}

TEST(GraphSearchPaper, CirclesEndAtTheStepCap) {
  TechniqueGraph circle;
  circle.add("start", "a");
  circle.add("a", "a");
  StrategyOptions options = on_graph(std::move(circle), "paper");
  options.rounds = 4;
  Dialogue d("graph-search", options);
  int steps = 0;
  while (!d.strategy().finished()) {
    ++steps;
    d.ask(), d.works(2);
  }
  EXPECT_LE(steps, 4 * 6);
}

TEST(GraphSearchSketch, WritesAWholeChainFromTheSequentialCode) {
  for (const char* preset : {"sketch", ""}) {
    Dialogue d("graph-search", on_graph(small_graph(), preset));
    const Ask first = d.ask();
    EXPECT_EQ(first.errand, Errand::Write);
    EXPECT_EQ(first.manner.writer.prompt, "graph_chain");
    EXPECT_THAT(first.manner.menu, SizeIs(1));
    EXPECT_TRUE(first.manner.takes_all);
    d.works(3);
    std::size_t longest = 1;
    for (int i = 0; i < 6; ++i) {
      const Ask ask = d.ask();
      EXPECT_EQ(ask.errand, Errand::Write) << "never from what was written before";
      longest = std::max(longest, ask.manner.menu.size());
      if (ask.manner.menu.size() == 2) {
        EXPECT_THAT(ask.manner.writer.sources, SizeIs(1)) << "all steps but the last";
      }
      d.works(3 + i);
    }
    EXPECT_GE(longest, 2u);
  }
}

TEST(GraphSearchSketch, TellsTheFourClassesOfFeedback) {
  Dialogue d("graph-search", on_graph(small_graph(), "sketch"));
  d.ask(), d.works(3);
  EXPECT_THAT(d.ask().why, HasSubstr("after success"));
  d.works(2);
  EXPECT_THAT(d.ask().why, HasSubstr("after minor"));
  d.fails(Outcome::WrongResult);
  const Ask mend = d.ask();
  EXPECT_THAT(mend.why, HasSubstr("after failed to work"));
  EXPECT_EQ(mend.errand, Errand::Repair);
  d.fails(Outcome::CompileFailed);
  const Ask next = d.ask();
  EXPECT_THAT(next.why, HasSubstr("after failed to compile"));
  EXPECT_EQ(next.errand, Errand::Write) << "mended once";
}

TEST(GraphSearchSketch, TeachesTheGraphAfterEveryEvaluation) {
  Dialogue d("graph-search", on_graph(small_graph(), "sketch"));
  auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
  d.ask(), d.works(3);
  const auto worked = learner.take_updates();
  ASSERT_THAT(worked, SizeIs(1));
  EXPECT_EQ(worked[0].value, (StepValue{1, 1})) << "the largest reward so far";
  d.ask(), d.fails();
  EXPECT_EQ(d.ask().errand, Errand::Repair);
  const auto failed = learner.take_updates();
  ASSERT_THAT(failed, SizeIs(2)) << "before it is mended: both steps of the chain";
  EXPECT_EQ(failed[1].count, (StepCount{1, 0, 0}));
  for (const auto& update : failed) EXPECT_EQ(update.value, (StepValue{1, 0}));
  d.works(1.5);
  const auto mended = learner.take_updates();
  ASSERT_THAT(mended, SizeIs(2));
  EXPECT_EQ(mended[1].to, failed[1].to);
  EXPECT_EQ(mended[1].count, (StepCount{1, 1, std::log(0.5)})) << "over the first step's 3x";
  for (const auto& update : mended) EXPECT_EQ(update.value, (StepValue{1, 0.5}));
}

TEST(GraphSearchSketch, TheRewardOfAChainIsThatOfAllItsEdges) {
  Dialogue d("graph-search", on_graph(small_graph(), "sketch"));
  auto& learner = dynamic_cast<GraphLearner&>(d.strategy());
  Ask ask = d.ask();
  while (ask.manner.menu.size() < 2) d.works(2), ask = d.ask();
  learner.take_updates();
  d.works(4);
  const auto updates = learner.take_updates();
  ASSERT_THAT(updates, SizeIs(2));
  EXPECT_EQ(updates[0].count, StepCount()) << "that step was taken earlier";
  EXPECT_EQ(updates[0].value, (StepValue{1, 1}));
  EXPECT_EQ(updates[1].count, (StepCount{1, 1, std::log(2)}));
  EXPECT_EQ(updates[1].value, (StepValue{1, 1}));
}

TEST(GraphSearchSketch, BeginsWithWhatEarlierRunsSaved) {
  for (const char* best : {"a", "b"}) {
    TechniqueGraph graph = small_graph();
    for (const char* to : {"a", "b"})
      graph.add_value(graph.add("start", to), {4, to == std::string_view(best) ? 3.0 : 1.0});
    EXPECT_EQ(Dialogue("graph-search", on_graph(graph)).ask().manner.technique, best);
  }
}

TEST(GraphSearchSketch, EarlierRunsDoNotOutweighThisOne) {
  TechniqueGraph graph = small_graph();
  graph.add_value(graph.add("start", "a"), {1000, 1000});
  graph.add_value(graph.add("start", "b"), {1000, 600});
  Dialogue d("graph-search", on_graph(graph));
  bool has_tried_b = false;
  for (int i = 0; i < 8; ++i) has_tried_b |= d.ask().manner.technique == "b", d.fails();
  EXPECT_TRUE(has_tried_b);
}

TEST(GraphSearchSketch, AFrozenGraphLearnsNothing) {
  StrategyOptions options = on_graph(small_graph(), "sketch");
  options.freezes_graph = true;
  Dialogue d("graph-search", options);
  d.ask(), d.works(3);
  EXPECT_THAT(dynamic_cast<GraphLearner&>(d.strategy()).take_updates(), IsEmpty());
}

TEST(GraphAuthors, AGraphWithoutAStepFromTheStartIsKeptAndLeadsEverywhere) {
  TechniqueGraph graph;
  graph.add("x", "y");
  graph.count(graph.add("x", "y"), {20, 20, 20});
  for (const auto& [strategy, preset, guide] :
       {std::tuple("graph-walk", "", "random"), std::tuple("graph-walk", "", "weights"),
        std::tuple("graph-walk", "", "llm"), std::tuple("graph-search", "sketch", ""),
        std::tuple("graph-search", "paper", "")}) {
    StrategyOptions options = on_graph(graph, preset, guide);
    options.techniques = {{"x", "do x", "memory"}, {"z", "do z", "memory"}};
    Dialogue d(strategy, options);
    for (int i = 0; i < 4; ++i) {
      const Ask ask = d.ask();
      EXPECT_FALSE(ask.manner.technique.empty() && ask.manner.menu.empty());
      d.works(2, {}, {}, "x");
    }
  }
}

TEST(GraphAuthors, TellFromWhichCodeAStepWasTaken) {
  Dialogue walk("graph-walk", on_graph(small_graph()));
  auto& of_walk = dynamic_cast<GraphLearner&>(walk.strategy());
  walk.ask(), walk.works(2);
  EXPECT_EQ(of_walk.take_updates().back().before, 0) << "the sequential code";
  walk.ask(), walk.fails();
  walk.ask(), walk.works(3);
  EXPECT_EQ(of_walk.take_updates().back().before, 1) << "not from what failed";
  Dialogue chain("graph-search", on_graph(small_graph(), "sketch"));
  auto& of_chain = dynamic_cast<GraphLearner&>(chain.strategy());
  Ask ask = chain.ask();
  while (ask.manner.menu.size() < 2) chain.works(2), ask = chain.ask();
  of_chain.take_updates();
  chain.works(4);
  EXPECT_EQ(of_chain.take_updates().back().before, ask.manner.writer.sources.at(0))
      << "all steps but the last";
}

TEST(GraphAuthors, WithoutAGraphEveryTechniqueLeadsToEveryOther) {
  StrategyOptions options;
  options.techniques = {{"x", "do x", "memory"}, {"y", "do y", "memory"}};
  Dialogue d("graph-walk", options);
  const std::string first = d.ask().manner.technique;
  d.works(1);
  const Ask second = d.ask();
  EXPECT_NE(second.manner.technique, first);
  EXPECT_EQ(second.manner.method, "do " + second.manner.technique);
}

}  // namespace
}  // namespace kw::search
