// Attempt-tree: every source is a node; usually the best is grown, now and then a leaf. After STARK
// (arXiv 2510.16996); what was published and what is our choice: docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/bag.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

// Values that STARK publishes: 0.3 to 0.4 for the share of explorations, and the two temperatures.
constexpr double kExplores = 0.3;  // share of asks that explore
constexpr double kPlanTemperature = 0.8;
constexpr double kCodeTemperature = 0.1;
// STARK does not publish these values; they are our choice.
constexpr std::size_t kRootChildren = 3;  // kernels written from the task alone: root throttling
constexpr double kLeafBias = 0.7;         // share of explorations that consider only leaves
constexpr int kFailuresInARow = 3;        // failures in a row after which a branch is given up
// Children in a row without a gain after which a node is given up.
constexpr std::size_t kBarrenChildren = 4;
constexpr std::size_t kLeaders = 3;
constexpr std::size_t kCousins = 6;

class AttemptTree final : public Authoring {
 public:
  AttemptTree(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options),
        rng_(options.seed),
        throttles_root_(options.throttles_root) {}

 protected:
  std::string doing() const override {
    return fmt::format("a tree of {} sources, {} of them alive", works_.size(), alive_.size());
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    if (const auto node = works_.of(pinned()); node && alive_.empty())
      return grow(*node, "a person has pinned it");
    const bool is_throttled = throttles_root_ && root_children_ >= kRootChildren * patience_;
    const bool is_root_open = !is_throttled && pinned() == 0;
    if (alive_.empty() && !is_root_open) {
      patience_ *= 2;  // everything was given up: every node gets another chance
      look_again();
      return next();
    }
    if (alive_.empty()) return grow_root("nothing else is alive");
    if (rng_.uniform() >= kExplores)
      if (const auto node = fittest_.first()) {
        // Without throttling, the root counts as a node of speedup 1, so it is the best node until
        // a kernel is faster.
        const bool is_root_best = !throttles_root_ && works_.at(*node).speedup < 1;
        return is_root_best && is_root_open ? grow_root("the best that is alive") : exploit(*node);
      }
    return explore(is_root_open);
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (id && ask.role == Role::Write && ask.parent == 0) ++root_children_;
    const auto parent = works_.of(ask.parent);
    if (id) families_.push_back({works_.at(*id).merit});
    if (id && parent) note_child(families_[*parent], works_.at(*id));
    if (id) look_at(*id);
    if (parent) look_at(*parent);
  }

  void steered() override { look_again(); }

 private:
  /// The results of a node's children.
  struct Family {
    double best = 0;         // merit of the node as it was written, or of its best child
    std::size_t barren = 0;  // children in a row that were no better
  };

  static void note_child(Family& family, const Work& child) {
    family.barren = child.merit > family.best ? 0 : family.barren + 1;
    family.best = std::max(family.best, child.merit);
  }

  bool is_alive(WorkId id) const {
    const Work& work = works_.at(id);
    if (!may_derive(work.point) && !may_derive(work.ask)) return false;
    if (!work.is_correct())
      return work.failures < kFailuresInARow * static_cast<int>(patience_) &&
             work.children.size() < patience_;
    return families_[id].barren < kBarrenChildren * patience_;
  }

  void look_at(WorkId id) {
    const Work& work = works_.at(id);
    const bool is_in = is_alive(id);
    alive_.set(id, is_in);
    leaves_.set(id, is_in && work.children.empty());
    fittest_.set(id, work.merit, is_in);
    leaders_.set(id, work.merit, work.is_correct());
  }

  void look_again() {
    for (WorkId id = 0; id < works_.size(); ++id) look_at(id);
  }

  /// Grows the best node. If a plan for the node has failed, it is repaired before another plan is
  /// made.
  Ask exploit(WorkId best) {
    const Work& work = works_.at(best);
    std::optional<WorkId> newest;
    if (!work.children.empty()) newest = work.children.back();
    while (newest && !works_.at(*newest).children.empty())
      newest = works_.at(*newest).is_correct() ? std::nullopt
                                               : std::optional(works_.at(*newest).children.back());
    if (newest && !works_.at(*newest).is_correct() && is_alive(*newest))
      return grow(*newest, "the latest child of the best");
    return grow(best, "the best that is alive");
  }

  Ask explore(bool is_root_open) {
    if (!leaves_.empty() && rng_.uniform() < kLeafBias)
      return grow(leaves_.draw(rng_), "exploring: a leaf");
    const auto lot = rng_.below(alive_.size() + (is_root_open ? 1 : 0));
    if (lot == alive_.size()) return grow_root("exploring: the root");
    return grow(alive_.items()[static_cast<std::size_t>(lot)], "exploring");
  }

  Ask grow_root(const std::string& why) {
    Ask ask = write(Errand::Write, 0,
                    fmt::format("{}; kernel {} from the task alone", why, root_children_ + 1));
    ask.manner.writer.role = "coder";
    ask.manner.writer.temperature = kCodeTemperature;
    return ask;
  }

  Ask grow(WorkId id, const std::string& why) const {
    const Work& work = works_.at(id);
    return work.is_correct() ? extend(id, work, why) : debug(id, work, why);
  }

  /// An ask with a planner, who sees the node, its children and the leaders, and with a coder, who
  /// sees cousins as well.
  Ask extend(WorkId id, const Work& work, const std::string& why) const {
    Ask ask = write(Errand::Improve, work.point,
                    fmt::format("{}: {}, {} child{}", why, words_of(work), work.children.size(),
                                work.children.size() == 1 ? "" : "ren"));
    View plan;
    plan.role = "planner";
    plan.prompt = "tree_plan";
    plan.temperature = kPlanTemperature;
    plan.is_bounded = true;
    plan.lines = asks_of(work.children);
    const std::vector<WorkId> leaders = leaders_.leaders(kLeaders, id);
    for (const int leader : asks_of(leaders)) plan.lines.push_back(leader);
    if (!leaders.empty()) plan.sources = {works_.at(leaders.front()).point};
    View& code = ask.manner.writer;
    code = plan;
    code.role = "coder";
    code.prompt = "tree_code";
    code.temperature = kCodeTemperature;
    for (const int cousin : asks_of(cousins(work))) code.lines.push_back(cousin);
    sort(plan.lines), sort(code.lines);
    ask.manner.counsel = {std::move(plan)};
    return ask;
  }

  /// An ask with a debugger, who sees what else was made from the failed node's parent.
  Ask debug(WorkId id, const Work& work, const std::string& why) const {
    Ask ask = write(Errand::Repair, work.ask, fmt::format("{}: mend {}", why, words_of(work)));
    View& view = ask.manner.writer;
    view.role = "debugger";
    view.prompt = "tree_debug";
    view.temperature = kCodeTemperature;
    view.is_bounded = true;
    if (!work.parent) return ask;
    std::vector<WorkId> siblings = works_.at(*work.parent).children;
    std::erase(siblings, id);
    view.lines = asks_of(siblings);
    sort(view.lines);
    for (const WorkId sibling : siblings)
      if (works_.at(sibling).is_correct()) view.sources = {works_.at(sibling).point};
    return ask;
  }

  /// The latest children of the siblings of the work's parent.
  std::vector<WorkId> cousins(const Work& work) const {
    std::vector<WorkId> all;
    if (!work.parent) return all;
    for (const WorkId sibling : works_.at(*work.parent).children)
      if (&works_.at(sibling) != &work)
        for (const WorkId cousin : works_.at(sibling).children) all.push_back(cousin);
    std::ranges::sort(all);
    if (all.size() > kCousins)
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kCousins));
    return all;
  }

  std::vector<int> asks_of(const std::vector<WorkId>& ids) const {
    std::vector<int> asks;
    for (const WorkId id : ids) asks.push_back(works_.at(id).point);
    return asks;
  }

  static void sort(std::vector<int>& lines) {
    std::ranges::sort(lines);
    const auto twice = std::ranges::unique(lines);
    lines.erase(twice.begin(), twice.end());
  }

  Rng rng_;
  const bool throttles_root_;
  Works works_;
  std::vector<Family> families_;  // by work
  Bag alive_;
  Bag leaves_;
  Ranking fittest_;  // nodes that are alive
  Ranking leaders_;  // all correct nodes
  std::size_t root_children_ = 0;
  std::size_t patience_ = 1;  // doubled when no node is alive
};

}  // namespace

std::unique_ptr<Strategy> make_attempt_tree(std::vector<Idea> ideas,
                                            const StrategyOptions& options) {
  return std::make_unique<AttemptTree>(std::move(ideas), options);
}

}  // namespace kw::search
