// TechniqueGraph: techniques as nodes, observed steps from one to the next as edges with code and
// what they did; one JSON document.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/proposal.h"

namespace kw {

/// Tries of one step, by whoever took it. Adding up is merging.
struct StepCount {
  double tried = 0;
  double worked = 0;
  double gain = 0;  ///< Sum over those that worked of log(speedup after ÷ before).

  void add(const StepCount& more) { tried += more.tried, worked += more.worked, gain += more.gain; }
  /// Expected logarithm of the gain of one more try; one doubtful try at 0 is added.
  double weight() const { return gain / (tried + 1); }
  bool operator==(const StepCount&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("tried", s.tried), v("worked", s.worked), v("gain", s.gain);
  }
};

/// What searches saw of an edge: evaluations of code whose way led over it, and their rewards. As
/// speedups of different tasks do not compare, each reward is a share of the largest that its run
/// had seen until then; a failure's is 0. Adding up is merging.
struct StepValue {
  double visits = 0;
  double rewards = 0;

  void add(const StepValue& more) { visits += more.visits, rewards += more.rewards; }
  double mean() const { return visits > 0 ? rewards / visits : 0; }
  bool operator==(const StepValue&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("visits", s.visits), v("rewards", s.rewards);
  }
};

struct TechniqueEdge {
  std::string from;  ///< Names of nodes; TechniqueGraph::kStart is sequential code.
  std::string to;
  std::vector<StepExample> examples;
  StepCount count;
  StepValue value{};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("from", s.from), v("to", s.to), v("examples", s.examples), v("count", s.count),
        v("value", s.value);
  }
};

/// One step of a trajectory: a technique and the code that it led to.
struct TechniqueStep {
  std::string technique;
  std::string what;  ///< How it is applied.
  std::string code;
  StepCount count{};
};

/// Directed; circles and self loops may occur (as in ReGraphT, arXiv 2510.19873).
class TechniqueGraph {
 public:
  static constexpr std::string_view kStart = "start";
  static constexpr std::size_t kMostExamples = 4;  ///< Of an edge; the oldest go.

  TechniqueGraph();

  const std::vector<std::string>& nodes() const { return nodes_; }  ///< kStart first.
  const std::vector<TechniqueEdge>& edges() const { return edges_; }
  std::optional<std::size_t> node(std::string_view name) const;
  /// Places in edges(), in the order in which they came.
  const std::vector<std::size_t>& out_of(std::size_t node) const { return out_[node]; }
  std::size_t target(std::size_t edge) const { return targets_[edge]; }
  const TechniqueEdge* edge(std::string_view from, std::string_view to) const;

  /// Finds or makes the node.
  std::size_t add_node(std::string_view name);
  /// Finds or makes the edge and both its nodes.
  std::size_t add(std::string_view from, std::string_view to);
  void add_example(std::size_t edge, StepExample example);
  void count(std::size_t edge, const StepCount& more) { edges_[edge].count.add(more); }
  void add_value(std::size_t edge, const StepValue& more) { edges_[edge].value.add(more); }
  /// Algorithm 1 of ReGraphT: walks from the start along the steps, over edges that there are and
  /// new ones; each becomes an example of its edge. `name` is the kernel's, `code` the sequential
  /// one. Every new edge is kept (the published code loses those to new nodes when it saves).
  void merge(const std::string& name, const std::string& code,
             const std::vector<TechniqueStep>& steps);
  /// All of another graph's edges, examples, counts and values.
  void merge(const TechniqueGraph& other);

 private:
  std::vector<std::string> nodes_;
  std::vector<TechniqueEdge> edges_;
  std::vector<std::size_t> targets_;
  std::vector<std::vector<std::size_t>> out_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> by_ends_;
};

/// {"format": 1, "nodes": [...], "edges": [...]}; equal graphs give equal bytes.
std::string to_json(const TechniqueGraph& graph);
/// Errors name the place. A graph of 10,000 nodes takes less than a second.
Result<TechniqueGraph> parse_technique_graph(std::string_view json);

}  // namespace kw
