// GraphAuthor: what the methods share that walk a graph of techniques, and what they teach it.
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

/// An ability of strategies: what the latest tells said about steps of the graph.
class GraphLearner {
 public:
  virtual ~GraphLearner() = default;
  struct StepUpdate {
    std::string from;
    std::string to;
    StepCount count;  ///< Nothing tried: the step stood earlier on the way.
    StepValue value{};
    int before = 0;  ///< Ask of the code that the step was taken from; 0: the sequential code.
  };
  /// Those since the last call.
  virtual std::vector<StepUpdate> take_updates() = 0;
};

class GraphAuthor : public Authoring, public GraphLearner {
 public:
  std::vector<StepUpdate> take_updates() final { return std::exchange(updates_, {}); }

 protected:
  using Edge = std::size_t;
  using Node = std::size_t;

  /// Without a graph in the options every technique leads to every other; so it does where nothing
  /// leads from the start, and the edges are kept.
  GraphAuthor(std::vector<Idea> ideas, const StrategyOptions& options);

  /// An ask that takes one step from code; nothing: from the sequential code.
  Ask take(Edge edge, std::optional<WorkId> from, const std::string& why) const;
  /// An ask that mends what a step came to.
  Ask mend(WorkId failed, const std::string& why) const;
  /// As it is kept in an ask: no side longer than a prompt would show.
  static StepExample shortened(StepExample example);
  /// What the technique of a node is, in a sentence; empty: the graph does not say.
  std::string method_of(const std::string& technique) const;
  /// Notes an evaluation of code whose way led over these edges, the last of them taken from
  /// `from`: the last one's count, and the reward (speedup or 0) for all. Only value() knows of it
  /// where the graph is frozen, where the code had been judged before and where it does not show
  /// the last step's technique; else whoever keeps the graph is told, too.
  void learn_way(const std::vector<Edge>& way, std::optional<WorkId> from, const Tell& tell);
  /// Q and N of an edge: this run's, its rewards as shares of its largest, and those of earlier
  /// runs, which count as a few visits at most.
  StepValue value(Edge edge) const;

  const TechniqueGraph& graph() const { return graph_; }
  const std::vector<Edge>& out_of(Node node) const { return graph_.out_of(node); }
  const TechniqueEdge& edge(Edge e) const { return graph_.edges()[e]; }

  Works works_;

 private:
  /// Whether what was told says something of this step that the graph does not know yet.
  bool teaches(Edge last, const Tell& tell) const;
  void count_step(Edge edge, std::optional<WorkId> from, const Tell& tell);

  TechniqueGraph graph_;
  const std::vector<TechniqueCard> cards_;
  const bool is_frozen_;
  std::vector<StepUpdate> updates_;
  std::vector<StepValue> values_;  // by edge; rewards are speedups
  double largest_ = 1;             // reward of this run
};

}  // namespace kw::search
