// Graph-walk: a chain of techniques along the graph, without tree search. The walks of ReGraphT
// (arXiv 2510.19873) without Monte Carlo search, and two other guides; docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/graph_author.h"
#include "search/methods.h"

namespace kw::search {
namespace {

constexpr int kTriesOfStep = 5;  // published limit of attempts at a step
// The paper does not give these values; they are our choice.
constexpr int kMostSteps = 8;         // limit of a walk's steps
constexpr double kTemperature = 0.2;  // of the choice by weights, in log speedup
constexpr std::size_t kOffered = 12;  // limit of the edges that a model chooses from

class GraphWalk final : public GraphAuthor {
 public:
  GraphWalk(std::vector<Idea> ideas, const StrategyOptions& options)
      : GraphAuthor(std::move(ideas), options),
        rng_(options.seed),
        guide_(options.guide.empty() ? "random" : options.guide) {}

 protected:
  std::string doing() const override {
    return fmt::format("walk {}, step {}, guided by {}", walk_, steps_ + 1, guide_);
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    const std::string where = fmt::format("walk {}, step {}", walk_, steps_ + 1);
    if (failed_)
      return mend(*failed_, fmt::format("{}, try {} of {}", where, tries_ + 1, kTriesOfStep));
    if (steps_ == kMostSteps || out_of(node_).empty()) begin_walk();
    if (guide_ == "llm") return offer();
    edge_ = guide_ == "weights" ? by_weight() : by_lot();
    return GraphAuthor::take(
        *edge_, code_, fmt::format("{}, by {}", where, guide_ == "weights" ? "weight" : "lot"));
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (!id || ask.role != Role::Write) return;
    if (!edge_) edge_ = chosen(tell.chosen);
    if (edge_) learn_way(way_to(*edge_), code_, tell);
    if (!may_derive(tell.ask)) return begin_walk();
    const bool is_over = tell.is_correct() || ++tries_ == kTriesOfStep;
    if (!is_over) {
      failed_ = id;
      return;
    }
    if (!tell.is_correct()) return begin_walk();
    code_ = id;
    if (edge_) way_.push_back(*edge_), node_ = graph().target(*edge_);
    edge_.reset();
    failed_.reset();
    tries_ = 0;
    ++steps_;
  }

  void steered() override {
    if ((code_ && !may_derive(works_.at(*code_).ask)) || pinned() != 0) begin_walk();
  }

 private:
  /// Begins a walk at the sequential code, or at what a person has pinned.
  void begin_walk() {
    ++walk_;
    steps_ = tries_ = 0;
    node_ = 0;
    way_.clear();
    code_ = works_.of(pinned());
    failed_.reset();
    edge_.reset();
  }

  std::vector<Edge> way_to(Edge next) const {
    std::vector<Edge> way = way_;
    way.push_back(next);
    return way;
  }

  Edge by_lot() {
    const auto& out = out_of(node_);
    return out[static_cast<std::size_t>(rng_.below(out.size()))];
  }

  /// Draws an edge with a probability proportional to exp(weight ÷ temperature).
  Edge by_weight() {
    const auto& out = out_of(node_);
    std::vector<double> up_to;
    double sum = 0;
    for (const Edge e : out)
      up_to.push_back(sum += std::exp(edge(e).count.weight() / kTemperature));
    const double lot = rng_.uniform() * sum;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (lot < up_to[i]) return out[i];
    return out.back();
  }

  /// An ask in which a guiding model chooses one of the edges by what is known about each.
  Ask offer() const {
    Ask ask = write(code_ ? Errand::Improve : Errand::Write, code_ ? works_.at(*code_).point : 0,
                    fmt::format("walk {}, step {}: a model chooses among {} steps from {}", walk_,
                                steps_ + 1, out_of(node_).size(), graph().nodes()[node_]));
    std::vector<Edge> offered = out_of(node_);
    std::ranges::stable_sort(
        offered, [&](Edge a, Edge b) { return edge(a).count.weight() > edge(b).count.weight(); });
    if (offered.size() > kOffered) offered.resize(kOffered);
    for (const Edge e : offered) {
      const StepCount& count = edge(e).count;
      std::string words = method_of(edge(e).to);
      if (count.tried > 0)
        words += fmt::format("{}(tried {:.0f} times, worked {:.0f}, mean gain {:.2f}x)",
                             words.empty() ? "" : " ", count.tried, count.worked,
                             std::exp(count.gain / std::max(1.0, count.worked)));
      ask.manner.menu.push_back({edge(e).to, std::move(words)});
      if (!edge(e).examples.empty() && ask.manner.examples.size() < 3)
        ask.manner.examples.push_back(shortened(edge(e).examples.back()));
    }
    View guide;
    guide.role = "guide";
    guide.prompt = "graph_choose";
    guide.is_bounded = true;
    ask.manner.counsel = {std::move(guide)};
    ask.manner.writer.prompt = "graph_step";
    return ask;
  }

  /// The edge that a model chose; nothing if no offered edge has this name.
  std::optional<Edge> chosen(const std::string& technique) const {
    for (const Edge e : out_of(node_))
      if (edge(e).to == technique) return e;
    return std::nullopt;
  }

  Rng rng_;
  const std::string guide_;
  int walk_ = 1;
  int steps_ = 0;
  int tries_ = 0;  // failed tries of this step
  Node node_ = 0;
  std::vector<Edge> way_;         // edges that led to node_
  std::optional<WorkId> code_;    // kernel at node_; nothing: the sequential code
  std::optional<WorkId> failed_;  // failed kernel of this step
  std::optional<Edge> edge_;      // the step that is being taken
};

}  // namespace

std::unique_ptr<Strategy> make_graph_walk(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<GraphWalk>(std::move(ideas), options);
}

}  // namespace kw::search
