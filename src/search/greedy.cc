// Greedy: tries every idea once, then tunes the knobs of the promising ones, fastest first.
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
    if (finished()) {
      const std::string count = tried_ == ideas_.size()
                                    ? fmt::format("all {} ideas", tried_)
                                    : fmt::format("{} of {} ideas", tried_, ideas_.size());
      return fmt::format("{} tried, {} tuned", count, tuned_);
    }
    if (tuner_) return fmt::format("tuning {}: {}", ideas_[tuning_].name, tuner_->describe());
    return fmt::format("idea {} of {}", tried_, ideas_.size());
  }

  void steer(const Steering& steering) override {
    steering_ = steering;
    const auto pinned = pinned_idea();
    if (tuner_ && (is_left(tuning_) || (pinned && *pinned != tuning_))) tuner_.reset();
  }

 protected:
  std::optional<Ask> propose() override {
    if (const auto next = next_untried(); next && !tuner_ && !pinned_idea())
      return propose_idea(*next);
    start_tuner();
    return tuner_ ? tuner_->ask() : std::nullopt;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    Found& found = found_[static_cast<std::size_t>(ask.idea)];
    if (ask.role == Role::Idea) found.ask = tell.ask;
    // A low-fidelity result rests on few samples, so it does not count as the best.
    if (tell.is_correct() && ask.fidelity == 1) {
      if (ask.role == Role::Idea) found.merit = tell.merit;
      best_ = std::max(best_, tell.merit);
      if (found.merit > 0) gain_ = std::max(gain_, tell.merit / found.merit);
    }
    // A tuner that was given up may have asks in flight. Their tells are dropped, since no idea is
    // tuned twice.
    if (ask.role == Role::Tune && tuner_ && static_cast<std::size_t>(ask.idea) == tuning_)
      tuner_->tell(tell);
    if (!next_untried() && !is_waiting()) start_tuner();
  }

  bool is_exhausted() const override { return !next_untried() && !tuner_ && !next_to_tune(); }

 private:
  struct Found {
    int ask = 0;
    double merit = 0;  // merit at the idea's first point; 0: not correct
    bool is_tried = false;
    bool is_tuned = false;
  };

  bool is_closed(std::size_t idea) const {
    return steering_.closed.contains(static_cast<int>(idea));
  }

  /// Whether a person's orders forbid deriving from this idea.
  bool is_left(std::size_t idea) const {
    return is_closed(idea) ||
           std::ranges::find(steering_.stopped, found_[idea].ask) != steering_.stopped.end();
  }

  bool can_be_tuned(std::size_t idea) const {
    const Found& f = found_[idea];
    return !f.is_tuned && f.merit > 0 && ideas_[idea].space.size() > 1 && !is_left(idea);
  }

  std::optional<std::size_t> next_untried() const {
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (!found_[i].is_tried && !is_closed(i)) return i;
    return std::nullopt;
  }

  /// The idea that a person has pinned, if it is not tuned yet.
  std::optional<std::size_t> pinned_idea() const {
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (steering_.pinned != 0 && found_[i].ask == steering_.pinned)
        return can_be_tuned(i) || (tuner_ && tuning_ == i) ? std::optional(i) : std::nullopt;
    return std::nullopt;
  }

  Ask propose_idea(std::size_t i) {
    found_[i].is_tried = true;
    ++tried_;
    Ask ask;
    ask.idea = static_cast<int>(i);
    ask.knobs = ideas_[i].space.first();
    ask.why = fmt::format("idea {} of {} in order: {} at {}", i + 1, ideas_.size(), ideas_[i].name,
                          to_text(ask.knobs));
    return ask;
  }

  // The fastest correct idea that is not tuned yet, if the largest gain that tuning has given to
  // any idea could make it the best.
  std::optional<std::size_t> next_to_tune() const {
    if (const auto pinned = pinned_idea()) return pinned;
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Found& f = found_[i];
      if (!can_be_tuned(i) || f.merit * gain_ < best_) continue;
      if (!next || f.merit > found_[*next].merit) next = i;
    }
    return next;
  }

  // Starts a tuner, but only while no ask is outstanding, so that every outcome is known.
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
                          found_[tuning_].merit,     options_.seed.child(tuning_)};
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
  double gain_;  // largest gain that tuning has given over an idea's first point
  Steering steering_;
  std::unique_ptr<Strategy> tuner_;
};

}  // namespace

std::unique_ptr<Strategy> make_greedy(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Greedy>(std::move(ideas), options);
}

}  // namespace kw::search
