// Greedy: every idea once, then the knobs of the promising ones, fastest first.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

class Greedy final : public QueuedStrategy {
 public:
  Greedy(std::vector<Idea> ideas, const StrategyOptions& options)
      : ideas_(std::move(ideas)),
        options_(options),
        found_(ideas_.size()),
        gain_(options.promising_gain) {}

  std::string describe() const override {
    if (finished()) return fmt::format("all {} ideas tried, {} tuned", ideas_.size(), tuned_);
    if (tuner_) return fmt::format("tuning {}: {}", ideas_[tuning_].name, tuner_->describe());
    return fmt::format("idea {} of {}", tried_, ideas_.size());
  }

 protected:
  std::optional<Ask> propose() override {
    if (tried_ < ideas_.size()) return propose_idea();
    start_tuner();
    if (!tuner_) return std::nullopt;
    return tuner_->ask();
  }

  void learn(const Ask& ask, const Tell& tell) override {
    Found& found = found_[static_cast<std::size_t>(ask.idea)];
    if (ask.role == Role::Idea) found.ask = tell.ask;
    // What few samples say at low fidelity does not move the mark.
    if (tell.is_correct() && ask.fidelity == 1) {
      if (ask.role == Role::Idea) found.speedup = tell.speedup.value;
      best_ = std::max(best_, tell.speedup.value);
      if (found.speedup > 0) gain_ = std::max(gain_, tell.speedup.value / found.speedup);
    }
    if (ask.role == Role::Tune) tuner_->tell(tell);
    if (tried_ == ideas_.size() && !is_waiting()) start_tuner();
  }

  bool is_exhausted() const override {
    return tried_ == ideas_.size() && !tuner_ && !next_to_tune();
  }

 private:
  struct Found {
    int ask = 0;
    double speedup = 0;  // at the first point; 0: not correct
    bool is_tuned = false;
  };

  Ask propose_idea() {
    const std::size_t i = tried_++;
    Ask ask;
    ask.idea = static_cast<int>(i);
    ask.knobs = ideas_[i].space.first();
    ask.why = fmt::format("idea {} of {} in order: {} at {}", i + 1, ideas_.size(), ideas_[i].name,
                          to_text(ask.knobs));
    return ask;
  }

  // The fastest correct idea not yet tuned, if what tuning gave others could lift it to the best.
  std::optional<std::size_t> next_to_tune() const {
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Found& f = found_[i];
      if (f.is_tuned || f.speedup <= 0 || f.speedup * gain_ < best_) continue;
      if (ideas_[i].space.size() <= 1) continue;
      if (!next || f.speedup > found_[*next].speedup) next = i;
    }
    return next;
  }

  // Only between tells, so that the choice knows every outcome.
  void start_tuner() {
    if (is_waiting()) return;
    if (tuner_ && tuner_->finished()) tuner_.reset();
    while (!tuner_) {
      const auto next = next_to_tune();
      if (!next) return;
      tuning_ = *next;
      found_[tuning_].is_tuned = true;
      const TuningJob job{static_cast<int>(tuning_), found_[tuning_].ask,
                          &ideas_[tuning_].space,    ideas_[tuning_].space.first(),
                          found_[tuning_].speedup,   options_.seed.child(tuning_)};
      tuner_ = options_.tuner != nullptr ? options_.tuner->make(job, options_)
                                         : make_auto(job, options_);
      if (tuner_->finished())
        tuner_.reset();
      else
        ++tuned_;
    }
  }

  const std::vector<Idea> ideas_;
  const StrategyOptions options_;
  std::vector<Found> found_;
  std::size_t tried_ = 0;
  std::size_t tuning_ = 0;
  int tuned_ = 0;
  double best_ = 0;
  double gain_;  // largest gain seen from tuning, over the idea's first point
  std::unique_ptr<Strategy> tuner_;
};

}  // namespace

std::unique_ptr<Strategy> make_greedy(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Greedy>(std::move(ideas), options);
}

}  // namespace kw::search
