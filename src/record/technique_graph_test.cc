// Tests of technique graphs: merging of trajectories, saving, and unreadable documents.
// SPDX-License-Identifier: Apache-2.0
#include "record/technique_graph.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// One step of a trajectory: a technique, how it is applied, the code that it led to, its count.
struct Step {
  std::string technique, what, code;
  StepCount count{};
};

/// Walks along the steps from the start, and makes each step an example of its edge.
void walk(TechniqueGraph& graph, const std::string& name, std::string before,
          const std::vector<Step>& steps) {
  std::string at(TechniqueGraph::kStart);
  for (const Step& step : steps) {
    const std::size_t edge = graph.add(at, step.technique);
    graph.add_example(edge, {name, step.what, before, step.code});
    graph.count(edge, step.count);
    at = step.technique, before = step.code;
  }
}

TEST(TechniqueGraph, AddsTheEdgesOfTrajectoriesOnce) {
  TechniqueGraph graph;
  walk(graph, "k1", "serial1", {{"threads", "over rows", "c1", {1, 1, 0.5}}, {"tiling", "", "c2"}});
  walk(graph, "k2", "serial2",
       {{"tiling", "", "d1"}, {"threads", "", "d2"}, {"threads", "", "d3"}});
  EXPECT_THAT(graph.nodes(), ElementsAre("start", "threads", "tiling"));
  ASSERT_THAT(graph.edges(), SizeIs(5)) << "a new edge to a node that was there, and a self loop";
  const TechniqueEdge* first = graph.edge("start", "threads");
  ASSERT_NE(first, nullptr);
  ASSERT_THAT(first->examples, SizeIs(1));
  EXPECT_EQ(first->examples[0].before, "serial1");
  EXPECT_EQ(first->examples[0].after, "c1");
  EXPECT_EQ(first->count.tried, 1);
  EXPECT_NE(graph.edge("start", "tiling"), nullptr);
  EXPECT_NE(graph.edge("tiling", "threads"), nullptr);
  EXPECT_NE(graph.edge("threads", "threads"), nullptr);
  EXPECT_EQ(graph.edge("tiling", "start"), nullptr);
  walk(graph, "k3", "serial3", {{"threads", "", "e1"}});
  EXPECT_THAT(graph.edge("start", "threads")->examples, SizeIs(2)) << "the same edge";
}

TEST(TechniqueGraph, EdgesToNewNodesSurviveSaving) {
  TechniqueGraph graph;
  walk(graph, "k", "serial", {{"a", "how", "1", {3, 2, 0.25}}, {"b", "", "2"}, {"c", "", "3"}});
  const auto read = parse_technique_graph(to_json(graph));
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(to_json(*read), to_json(graph));
  EXPECT_THAT(read->edges(), SizeIs(3));
  EXPECT_EQ(read->edge("start", "a")->count.weight(), 0.0625);
}

TEST(TechniqueGraph, TwoGraphsAddUp) {
  TechniqueGraph a, b;
  a.count(a.add("start", "x"), {1, 1, 0.5});
  b.count(b.add("start", "x"), {2, 1, 0.1});
  a.add_value(0, {4, 1.5});
  b.add_value(0, {1, 1});
  b.add("x", "y");
  a.merge(b);
  EXPECT_EQ(a.edge("start", "x")->count.tried, 3);
  EXPECT_EQ(a.edge("start", "x")->value, (StepValue{5, 2.5}));
  EXPECT_EQ(parse_technique_graph(to_json(a))->edges()[0].value, (StepValue{5, 2.5}));
  EXPECT_THAT(a.nodes(), SizeIs(3));
}

TEST(TechniqueGraph, KeepsTheLatestExamples) {
  TechniqueGraph graph;
  const std::size_t edge = graph.add("start", "x");
  for (int i = 0; i < 9; ++i) graph.add_example(edge, {std::to_string(i), "", "", ""});
  graph.add_example(edge, {"8", "", "", ""});
  EXPECT_THAT(graph.edges()[edge].examples, SizeIs(TechniqueGraph::kMostExamples));
  EXPECT_EQ(graph.edges()[edge].examples.back().name, "8");
}

TEST(TechniqueGraph, SaysWhatCannotBeRead) {
  using enum ErrorCode;
  EXPECT_THAT(parse_technique_graph("{"), IsErrorAbout(Malformed, "JSON"));
  EXPECT_THAT(parse_technique_graph(R"({"format": 2})"), IsErrorAbout(NewerFormat, "2"));
  EXPECT_THAT(parse_technique_graph(R"({"edges": [{"from": "a"}]})"),
              IsErrorAbout(Malformed, "edge"));
  const auto nodes = parse_technique_graph(R"({"nodes": 3})");
  ASSERT_THAT(nodes, IsError(Malformed));
  EXPECT_EQ(nodes.error().where, ".nodes");
}

TEST(TechniqueGraph, TenThousandNodesAreRead) {
  TechniqueGraph graph;
  for (int i = 0; i < 10'000; ++i)
    graph.add("n" + std::to_string(i / 3), "n" + std::to_string(i + 1));
  const auto read = parse_technique_graph(to_json(graph));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->edges().size(), graph.edges().size());
}

}  // namespace
}  // namespace kw
