// Graph-search: Monte Carlo search over a graph of techniques, in the form of the paper. After
// ReGraphT's Monte Carlo graph search (arXiv 2510.19873); docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/graph_author.h"
#include "search/methods.h"
#include "search/reward.h"
#include "search/rollout_value.h"

namespace kw::search {
namespace {

// Limit of asks, as published. The number of rollouts is StrategyOptions::rounds, 10.
constexpr int kMostAsks = 200;
// Probability epsilon of a random step in a rollout; our choice, since the paper gives no value.
constexpr double kExplore = 0.2;  // epsilon of the rollout policy
// Limit of a path's steps; our choice, since "hard" problems of the paper need more than 5.
constexpr std::size_t kStepCap = 6;

class GraphSearchPaper final : public GraphAuthor {
 public:
  GraphSearchPaper(std::vector<Idea> ideas, const StrategyOptions& options)
      : GraphAuthor(std::move(ideas), frozen(options)),
        rng_(options.seed),
        rollouts_(options.rounds),
        policy_(**find_reward_policy("regrapht")),
        nodes_(graph().nodes().size()),
        edges_(graph().edges().size()),
        codes_(graph().nodes().size()),
        rewards_(graph().nodes().size(), -1) {}

 protected:
  std::string doing() const override {
    if (is_done()) return fmt::format("{} rollouts, {} steps", rollout_, steps_);
    return fmt::format("rollout {} of {}, step {}", rollout_ + 1, rollouts_, trajectory_.size());
  }

  bool is_done() const override { return rollout_ >= rollouts_ || steps_ >= kMostAsks; }
  bool tunes_at_end() const override { return true; }

  std::optional<Ask> next() override {
    if (is_waiting() || is_done()) return std::nullopt;
    plan();
    if (!edge_) return std::nullopt;
    const bool is_rollout = trajectory_.size() > selected_;
    return GraphAuthor::take(*edge_, code_,
                             fmt::format("rollout {} of {}, {}", rollout_ + 1, rollouts_,
                                         is_rollout ? "rolling out" : "expanding"));
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (!id || ask.role != Role::Write || !edge_) return;
    step(*id, tell);
    plan();
  }

  void steered() override {
    for (auto& code : codes_)
      if (code && !may_derive(works_.at(*code).ask)) code.reset();
    edge_.reset();
    trajectory_.clear();
    if (pinned() != 0) codes_[0] = works_.of(pinned());
    code_ = codes_[0];
    node_ = 0;
  }

 private:
  /// Makes selections until there is a step to take or all rollouts are made.
  void plan() {
    while (!edge_ && !is_done()) select();
  }

  void step(WorkId id, const Tell& tell) {
    ++steps_;
    const Edge taken = *std::exchange(edge_, std::nullopt);
    trajectory_.push_back(taken);
    // A path is worth the largest reward seen along it, because every node may be the last one.
    const double reward = policy_.compute(tell);
    best_reward_ = std::max(best_reward_, reward);
    if (!tell.is_correct() || !may_derive(tell.ask)) return end_rollout();
    node_ = graph().target(taken);
    code_ = id;
    auto& kept = codes_[node_];
    if (!kept || works_.at(*kept).speedup < tell.speedup.value) kept = id, rewards_[node_] = reward;
    if (trajectory_.size() >= kStepCap || out_of(node_).empty()) return end_rollout();
    edge_ = roll();
  }

  /// Options with a frozen graph: as published, the graph is fixed while it is searched.
  static StrategyOptions frozen(StrategyOptions options) {
    options.freezes_graph = true;
    return options;
  }

  /// Goes from the start over nodes whose code is known, by upper confidence bounds, to a node
  /// without known code; the edge to this node is the next step. All successors of a visited node
  /// can be chosen at once.
  void select() {
    node_ = 0;
    code_ = codes_[0];
    trajectory_.clear();
    path_ = {0};
    best_reward_ = -1;
    while (!out_of(node_).empty()) {
      const Edge e = best_bound();
      const Node to = graph().target(e);
      path_.push_back(to);
      const bool is_last = trajectory_.size() + 1 == kStepCap || out_of(to).empty();
      // If the code of the whole path is known already, its last step is taken once more.
      if (!codes_[to] || is_last) {
        edge_ = e;
        selected_ = trajectory_.size();
        return;
      }
      trajectory_.push_back(e);
      node_ = to;
      code_ = codes_[to];
      best_reward_ = std::max(best_reward_, rewards_[to]);
    }
    end_rollout();  // the graph has no steps at all
  }

  /// The edge with the largest confidence bound; one of several equal ones is drawn at random.
  Edge best_bound() {
    double best = -std::numeric_limits<double>::infinity();
    std::vector<Edge> equals;
    for (const Edge e : out_of(node_)) {
      const double bound = upper_bound(nodes_[graph().target(e)], nodes_[node_]);
      if (bound > best) best = bound, equals.clear();
      if (bound == best) equals.push_back(e);
    }
    return equals[static_cast<std::size_t>(rng_.below(equals.size()))];
  }

  /// The step with the highest rollout score or, with probability epsilon, a random step.
  Edge roll() {
    const auto& out = out_of(node_);
    if (rng_.uniform() < kExplore) return out[static_cast<std::size_t>(rng_.below(out.size()))];
    return *std::ranges::max_element(out, {}, [&](Edge e) { return rollout_score(edges_[e]); });
  }

  void end_rollout() {
    for (const Node node : path_) nodes_[node].add(best_reward_);
    for (const Edge e : trajectory_) edges_[e].add(best_reward_);
    ++rollout_;
    edge_.reset();
    trajectory_.clear();
  }

  Rng rng_;
  const int rollouts_;
  const RewardPolicy& policy_;
  std::vector<RolloutValue> nodes_;
  std::vector<RolloutValue> edges_;
  std::vector<std::optional<WorkId>> codes_;  // by node: the fastest kernel that reached it
  std::vector<double> rewards_;               // by node: reward of its kernel
  int rollout_ = 0;
  int steps_ = 0;
  Node node_ = 0;
  std::optional<WorkId> code_;
  std::optional<Edge> edge_;      // the step that is being taken
  std::vector<Node> path_;        // the selected nodes and the node that is expanded
  std::vector<Edge> trajectory_;  // the edges that were taken, rollout included
  std::size_t selected_ = 0;      // number of steps of the trajectory before the expansion
  double best_reward_ = -1;
};

}  // namespace

std::unique_ptr<Strategy> make_graph_search_paper(std::vector<Idea> ideas,
                                                  const StrategyOptions& options) {
  return std::make_unique<GraphSearchPaper>(std::move(ideas), options);
}

}  // namespace kw::search
