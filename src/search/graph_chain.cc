// Graph-search, preset sketch: a chain of steps is chosen, one kernel is written by it from the
// sequential code, and the graph learns from the result.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/graph_author.h"
#include "search/methods.h"

namespace kw::search {
namespace {

// Our choices: the sketch only says that a chain is searched for and that Q, N and weights are
// updated.
constexpr std::size_t kChainCap = 8;
constexpr int kMendsOfChain = 1;

/// The class of a result, one of four, as the explanation of the next ask names it.
std::string_view feedback_class(const Tell& tell) {
  if (!tell.is_correct())
    return tell.stage <= Stage::Compile ? "failed to compile" : "failed to work";
  return tell.outcome_class == OutcomeClass::NewBest ? "success" : "minor";
}

class GraphSearchSketch final : public GraphAuthor {
 public:
  GraphSearchSketch(std::vector<Idea> ideas, const StrategyOptions& options)
      : GraphAuthor(std::move(ideas), options) {}

 protected:
  std::string doing() const override {
    return fmt::format("iteration {}, {} chains known", iteration_ + 1, codes_.size());
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    const std::string head = fmt::format("iteration {}, after {}", iteration_ + 1, feedback_);
    if (failed_) return mend(*failed_, head);
    choose_chain();
    return generate(head);
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (!id || ask.role != Role::Write) return;
    last_ = tell.ask;
    feedback_ = feedback_class(tell);
    update(*id, tell);
    const bool is_mended = std::exchange(failed_, std::nullopt).has_value();
    if (!tell.is_correct() && !is_mended && may_derive(tell.ask)) {
      failed_ = id;
      return;
    }
    ++iteration_;
  }

  void steered() override {
    std::erase_if(codes_,
                  [&](const auto& entry) { return !may_derive(works_.at(entry.second).ask); });
    if (failed_ && !may_derive(works_.at(*failed_).ask)) failed_.reset();
  }

 private:
  using Chain = std::vector<Edge>;

  std::optional<WorkId> code_of(const Chain& chain) const {
    const auto found = codes_.find(chain);
    return found == codes_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Chooses a chain step by step, by mean reward, learnt weight and visits, until it reaches a
  /// chain that has no kernel yet.
  void choose_chain() {
    chain_.clear();
    Node node = 0;
    while (chain_.size() < kChainCap) {
      std::vector<Edge> open;
      for (const Edge e : out_of(node))
        if (!is_in_chain(e)) open.push_back(e);
      if (open.empty()) break;
      const Edge e = *std::ranges::max_element(open, {}, [&](Edge x) { return score(node, x); });
      chain_.push_back(e);
      node = graph().target(e);
      if (!code_of(chain_)) break;
    }
  }

  bool is_in_chain(Edge e) const {
    return std::ranges::any_of(
        chain_, [&](Edge taken) { return graph().target(taken) == graph().target(e); });
  }

  /// Score of an edge; an edge that was never taken is scored by its weight.
  double score(Node node, Edge e) const {
    double parent = 1;
    for (const Edge sibling : out_of(node)) parent += value(sibling).visits;
    const StepValue known = value(e);
    const double mean = known.visits > 0 ? known.mean() : 0.5;
    return mean + edge(e).count.weight() + std::sqrt(2 * std::log(parent) / (known.visits + 1));
  }

  Ask generate(const std::string& head) {
    std::string names;
    for (const Edge e : chain_) names += (names.empty() ? "" : " → ") + edge(e).to;
    const int pin = pinned();
    Ask ask =
        write(pin != 0 ? Errand::Improve : Errand::Write, pin, fmt::format("{}: {}", head, names));
    Manner& manner = ask.manner;
    manner.writer.prompt = "graph_chain";
    manner.writer.is_bounded = true;
    if (last_ != 0) manner.writer.lines = {last_};
    for (const Edge e : chain_) {
      manner.menu.push_back({edge(e).to, method_of(edge(e).to)});
      if (!edge(e).examples.empty()) manner.examples = {edge(e).examples.back()};
    }
    manner.takes_all = true;
    manner.technique = edge(chain_.back()).to;
    const Chain before(chain_.begin(), chain_.end() - 1);
    if (const auto code = code_of(before)) manner.writer.sources = {works_.at(*code).point};
    return ask;
  }

  /// Called after every evaluation: updates Q and N of the chain, and the weight of its last step.
  void update(WorkId id, const Tell& tell) {
    const Chain before(chain_.begin(), chain_.end() - 1);
    learn_way(chain_, code_of(before), tell);
    if (!tell.is_correct()) return;
    const auto known = codes_.find(chain_);
    if (known == codes_.end() || works_.at(known->second).speedup < tell.speedup.value)
      codes_[chain_] = id;
  }

  int iteration_ = 0;
  int last_ = 0;
  std::string feedback_ = "nothing yet";
  Chain chain_;
  std::map<Chain, WorkId> codes_;  // by chain: the fastest kernel that it led to
  std::optional<WorkId> failed_;
};

}  // namespace

std::unique_ptr<Strategy> make_graph_search(std::vector<Idea> ideas,
                                            const StrategyOptions& options) {
  if (options.preset == "paper") return make_graph_search_paper(std::move(ideas), options);
  return std::make_unique<GraphSearchSketch>(std::move(ideas), options);
}

}  // namespace kw::search
