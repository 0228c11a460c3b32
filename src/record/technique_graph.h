// TechniqueGraph: techniques as nodes; observed steps from one to the next as edges, with code and
// results; stored as one JSON document.
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

/// How often one step, the use of one technique after another, was tried, and with what success.
/// Counts from several searches are merged by adding them.
struct StepCount {
  double tried = 0;
  double worked = 0;
  double gain = 0;  ///< Sum of log(speedup after ÷ before) over the tries that worked.

  void add(const StepCount& more) { tried += more.tried, worked += more.worked, gain += more.gain; }
  /// Expected logarithm of the gain of one more try, with one try of gain 0 added as a prior.
  double weight() const { return gain / (tried + 1); }
  bool operator==(const StepCount&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("tried", s.tried), v("worked", s.worked), v("gain", s.gain);
  }
};

/// What searches saw of an edge: evaluations of code that was reached over it, and their rewards.
/// As speedups of different tasks are not comparable, each reward is a share of the largest that
/// its run had seen until then; a failure's reward is 0. Values are merged by adding.
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
  std::string from;  ///< Name of a node; TechniqueGraph::kStart is the sequential code.
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

/// A directed graph, in which cycles and self loops may occur (as in ReGraphT, arXiv 2510.19873).
class TechniqueGraph {
 public:
  static constexpr std::string_view kStart = "start";
  /// Most examples of one edge; the oldest are removed.
  static constexpr std::size_t kMostExamples = 4;

  TechniqueGraph();

  const std::vector<std::string>& nodes() const { return nodes_; }  ///< kStart first.
  const std::vector<TechniqueEdge>& edges() const { return edges_; }
  std::optional<std::size_t> node(std::string_view name) const;
  /// Indices into edges(), in the order in which the edges were added.
  const std::vector<std::size_t>& out_of(std::size_t node) const { return out_[node]; }
  std::size_t target(std::size_t edge) const { return targets_[edge]; }
  const TechniqueEdge* edge(std::string_view from, std::string_view to) const;

  /// Returns the index of the node and adds it where it is missing.
  std::size_t add_node(std::string_view name);
  /// Returns the index of the edge; adds it and its nodes where they are missing.
  std::size_t add(std::string_view from, std::string_view to);
  void add_example(std::size_t edge, StepExample example);
  void count(std::size_t edge, const StepCount& more) { edges_[edge].count.add(more); }
  void add_value(std::size_t edge, const StepValue& more) { edges_[edge].value.add(more); }
  /// Adds all edges, examples, counts and values of another graph.
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
/// Errors name the place in the text. A graph of 10,000 nodes takes less than a second.
Result<TechniqueGraph> parse_technique_graph(std::string_view json);

}  // namespace kw
