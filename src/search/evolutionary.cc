// Evolutionary tuner: a small population, crossover, steps along ordered knobs, restarts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "search/knob_grid.h"
#include "search/methods.h"
#include "search/point_tuner.h"

namespace kw::search {
namespace {

// These values were chosen on the landscapes of bench/tuners.cc.
constexpr std::size_t kPopulation = 8;
// Number of children in a row without a better one after which the population restarts.
constexpr int kEpochPatience = 24;
// Number of restarts in a row without a better result overall after which the tuner ends.
constexpr int kBarrenEpochs = 3;
constexpr double kEpochGain = 1.003;     // smaller gains are noise at full fidelity
constexpr double kStepShare = 0.7;       // share of mutations that go to a neighbouring value
constexpr double kCrossoverShare = 0.7;  // share of children that have two parents
constexpr int kChildTries = 64;          // tries to make a child that is valid and new

class Evolutionary final : public PointTuner {
 public:
  Evolutionary(const TuningJob& job, const StrategyOptions& options)
      : PointTuner(job, options.tuning_points), grid_(*job.space), rng_(job.seed) {
    if (job.start_merit > 0)
      population_.push_back({grid_.places_of(job.start), job.start_merit, job.parent});
    best_ = best_here_ = job.start_merit;
    begin();
  }

  std::string describe() const override {
    return fmt::format("epoch {}, {} members, {} children without a gain", epoch_,
                       population_.size(), stalled_);
  }

 protected:
  std::optional<PlannedPoint> plan() override {
    if (barren_ == kBarrenEpochs) return std::nullopt;
    if (newcomers_ > 0) {
      --newcomers_;
      return newcomer();
    }
    if (auto child = make_child()) return child;
    return newcomer();
  }

  void observe(const KnobPoint& point, const Tell& tell) override {
    if (tell.is_correct() && tell.merit > 0) {
      const Member member{grid_.places_of(point), tell.merit, tell.ask};
      const auto slower = std::find_if(population_.begin(), population_.end(),
                                       [&](const Member& m) { return m.merit < member.merit; });
      population_.insert(slower, member);
      if (population_.size() > kPopulation) population_.pop_back();
    }
    const bool is_gain = tell.is_correct() && tell.merit > kEpochGain * best_here_;
    if (is_gain) best_here_ = tell.merit;
    stalled_ = is_gain ? 0 : stalled_ + 1;
    if (stalled_ >= kEpochPatience) restart();
  }

 private:
  struct Member {
    Places genes;
    double merit = 0;
    int ask = 0;
  };

  void restart() {
    barren_ = best_here_ > kEpochGain * best_ || epoch_ == 1 ? 0 : barren_ + 1;
    best_ = std::max(best_, best_here_);
    best_here_ = 0;
    population_.clear();
    newcomers_ = kPopulation;
    stalled_ = 0;
    ++epoch_;
  }

  std::optional<PlannedPoint> newcomer() {
    auto point = untried().draw(rng_);
    if (!point) return std::nullopt;
    std::string why = fmt::format("newcomer of epoch {}: {}", epoch_, to_text(*point));
    return PlannedPoint{std::move(*point), job().parent, std::move(why)};
  }

  std::optional<PlannedPoint> make_child() {
    if (population_.empty()) return std::nullopt;
    for (int attempt = 0; attempt < kChildTries; ++attempt) {
      const Member& mother = choose();
      const Member& father = choose();
      Places genes = mother.genes;
      const bool is_crossed = rng_.uniform() < kCrossoverShare;
      for (std::size_t k = 0; k < genes.size(); ++k)
        if (is_crossed && rng_.uniform() < 0.5) genes[k] = father.genes[k];
      // After many children that are known or invalid, more genes are mutated.
      mutate(genes, 1 + attempt / 8);
      KnobPoint point = grid_.point_at(genes);
      if (!untried().contains(point)) continue;
      std::string why = is_crossed && mother.ask != father.ask
                            ? fmt::format("child of {} and {}: ", mother.ask, father.ask)
                            : fmt::format("mutant of {}: ", mother.ask);
      why += to_text(point);
      return PlannedPoint{std::move(point), mother.ask, std::move(why)};
    }
    return std::nullopt;
  }

  // The faster of two random members; the population is sorted by speed.
  const Member& choose() {
    const auto one = rng_.below(population_.size());
    const auto two = rng_.below(population_.size());
    return population_[static_cast<std::size_t>(std::min(one, two))];
  }

  // Mutates `expected` knobs on average, and at least one.
  void mutate(Places& genes, int expected) {
    const std::size_t knobs = genes.size();
    const auto forced = static_cast<std::size_t>(rng_.below(knobs));
    for (std::size_t k = 0; k < knobs; ++k) {
      const double rate = static_cast<double>(expected) / static_cast<double>(knobs);
      if (k != forced && rng_.uniform() >= rate) continue;
      const std::size_t values = grid_.values(k);
      if (values == 1) continue;
      const bool is_step = rng_.uniform() < kStepShare;
      const bool is_up = genes[k] == 0 || (genes[k] + 1U < values && rng_.uniform() < 0.5);
      if (is_step) {
        genes[k] = static_cast<std::uint16_t>(is_up ? genes[k] + 1 : genes[k] - 1);
      } else {
        genes[k] = static_cast<std::uint16_t>(rng_.below(values));
      }
    }
  }

  const KnobGrid grid_;
  Rng rng_;
  std::vector<Member> population_;  // fastest first
  std::size_t newcomers_ = kPopulation - 1;
  double best_ = 0;       // best of earlier epochs
  double best_here_ = 0;  // best of this epoch
  int stalled_ = 0;
  int barren_ = 0;
  int epoch_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> make_evolutionary(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<Evolutionary>(job, options);
}

}  // namespace kw::search
