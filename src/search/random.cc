// Random: a random idea at a random point, none twice; the line that other strategies must beat.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

class Random final : public QueuedStrategy {
 public:
  Random(std::vector<Idea> ideas, const StrategyOptions& options)
      : ideas_(std::move(ideas)), rng_(options.seed), seen_(ideas_.size()) {
    for (std::size_t i = 0; i < ideas_.size(); ++i) open_.push_back(i);
  }

  std::string describe() const override {
    if (finished()) return fmt::format("every point of all {} ideas tried", ideas_.size());
    return fmt::format("{} random points tried", asked());
  }

 protected:
  std::optional<Ask> propose() override {
    while (!open_.empty()) {
      const auto slot = static_cast<std::size_t>(rng_.below(open_.size()));
      const std::size_t i = open_[slot];
      if (auto point = unseen_point(i)) {
        Ask ask;
        ask.idea = static_cast<int>(i);
        ask.knobs = std::move(*point);
        ask.why = fmt::format("random: {} at {}", ideas_[i].name, to_text(ask.knobs));
        return ask;
      }
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(slot));
    }
    return std::nullopt;
  }

  void learn(const Ask&, const Tell&) override {}

  bool is_exhausted() const override { return open_.empty(); }

 private:
  // By lot while that is likely to hit, then by listing what is left.
  std::optional<KnobPoint> unseen_point(std::size_t i) {
    const KnobSpace& space = ideas_[i].space;
    constexpr int kDraws = 32;
    for (int draw = 0; draw < kDraws; ++draw) {
      KnobPoint point = space.at(rng_.below(space.size()));
      if (space.is_valid(point) && seen_[i].insert(space.number_of(point)).second) return point;
    }
    constexpr std::size_t kListed = 1 << 16;
    std::vector<KnobPoint> left;
    for (KnobPoint& point : space.valid_points(kListed))
      if (!seen_[i].contains(space.number_of(point))) left.push_back(std::move(point));
    if (left.empty()) return std::nullopt;
    KnobPoint point = left[static_cast<std::size_t>(rng_.below(left.size()))];
    seen_[i].insert(space.number_of(point));
    return point;
  }

  const std::vector<Idea> ideas_;
  Rng rng_;
  std::vector<std::set<std::uint64_t>> seen_;
  std::vector<std::size_t> open_;  // ideas with untried points
};

}  // namespace

std::unique_ptr<Strategy> make_random(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Random>(std::move(ideas), options);
}

}  // namespace kw::search
