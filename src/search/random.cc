// Random: a random idea at a random point, none twice; other strategies must be better than this.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"
#include "search/untried.h"

namespace kw::search {
namespace {

class Random final : public QueuedStrategy {
 public:
  Random(std::vector<Idea> ideas, const StrategyOptions& options)
      : ideas_(std::move(ideas)), rng_(options.seed) {
    for (std::size_t i = 0; i < ideas_.size(); ++i) {
      untried_.emplace_back(ideas_[i].space);
      open_.push_back(i);
    }
  }

  std::string describe() const override {
    if (finished()) return fmt::format("every point of all {} ideas tried", ideas_.size());
    return fmt::format("{} random points tried", asked());
  }

  void steer(const Steering& steering) override { closed_ = steering.closed; }

 protected:
  std::optional<Ask> propose() override {
    for (auto allowed = allowed_ideas(); !allowed.empty(); allowed = allowed_ideas()) {
      const std::size_t i = allowed[static_cast<std::size_t>(rng_.below(allowed.size()))];
      if (auto point = untried_[i].draw(rng_)) {
        untried_[i].take(*point);
        Ask ask;
        ask.idea = static_cast<int>(i);
        ask.knobs = std::move(*point);
        ask.why = fmt::format("random: {} at {}", ideas_[i].name, to_text(ask.knobs));
        return ask;
      }
      std::erase(open_, i);
    }
    return std::nullopt;
  }

  void learn(const Ask&, const Tell&) override {}

  bool is_exhausted() const override { return allowed_ideas().empty(); }

 private:
  std::vector<std::size_t> allowed_ideas() const {
    std::vector<std::size_t> allowed = open_;
    std::erase_if(allowed, [&](std::size_t i) { return closed_.contains(static_cast<int>(i)); });
    return allowed;
  }

  const std::vector<Idea> ideas_;
  Rng rng_;
  std::vector<Untried> untried_;   // by idea
  std::vector<std::size_t> open_;  // ideas with untried points
  std::set<int> closed_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Random>(std::move(ideas), options);
}

}  // namespace kw::search
