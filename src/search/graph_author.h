// What the methods that walk a graph of techniques share, and what they teach the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/technique_graph.h"
#include "search/authoring.h"
#include "search/works.h"

namespace kw::search {

/// Interface of strategies that learn about a graph of techniques: reports what the latest tells
/// showed about steps of the graph.
class GraphLearner {
 public:
  virtual ~GraphLearner() = default;
  struct StepUpdate {
    std::string from;
    std::string to;
    /// Zero tries: the step was taken earlier on the way, so it gets a visit but no try.
    StepCount count;
    StepValue value{};
    int before = 0;  ///< Ask of the code that the step was taken from; 0: the sequential code.
  };
  /// Returns the updates since the last call.
  virtual std::vector<StepUpdate> take_updates() = 0;
};

class GraphAuthor : public Authoring, public GraphLearner {
 public:
  std::vector<StepUpdate> take_updates() final { return std::exchange(updates_, {}); }

 protected:
  using Edge = std::size_t;
  using Node = std::size_t;

  /// If the options hold no graph, every technique leads to every other. The same edges are added
  /// to a graph that has no steps from the start.
  GraphAuthor(std::vector<Idea> ideas, const StrategyOptions& options);

  /// An ask that takes one step from the code of `from`; nothing: from the sequential code.
  Ask take(Edge edge, std::optional<WorkId> from, const std::string& why) const;
  /// An ask that repairs the failed result of a step.
  Ask mend(WorkId failed, const std::string& why) const;
  /// The example as an ask keeps it: neither side is longer than what a prompt would show.
  static StepExample shortened(StepExample example);
  /// A description of the technique in a sentence; empty if the graph has none.
  std::string method_of(const std::string& technique) const;
  /// Learns from the evaluation of code whose way led over these edges, the last of them taken from
  /// `from`: counts a try of the last edge, and gives the reward (speedup or 0) to all edges. Only
  /// value() takes it into account if the graph is frozen, if the code had been judged before, or
  /// if the code does not show the last step's technique; otherwise take_updates() reports it too.
  void learn_way(const std::vector<Edge>& way, std::optional<WorkId> from, const Tell& tell);
  /// Mean reward Q and visits N of an edge: visits of this run, with rewards as shares of the run's
  /// largest reward, and visits of earlier runs, which count as a few visits at most.
  StepValue value(Edge edge) const;

  const TechniqueGraph& graph() const { return graph_; }
  const std::vector<Edge>& out_of(Node node) const { return graph_.out_of(node); }
  const TechniqueEdge& edge(Edge e) const { return graph_.edges()[e]; }

  Works works_;

 private:
  /// Whether the outcome says something about this step that the graph does not know yet.
  bool teaches(Edge last, const Tell& tell) const;
  void count_step(Edge edge, std::optional<WorkId> from, const Tell& tell);

  TechniqueGraph graph_;
  const std::vector<TechniqueCard> cards_;
  const bool is_frozen_;
  std::vector<StepUpdate> updates_;
  std::vector<StepValue> values_;  // by edge; rewards are speedups
  double largest_ = 1;             // largest reward of this run
};

}  // namespace kw::search
