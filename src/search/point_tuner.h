// What tuners that plan one new point at a time share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "search/queued.h"
#include "search/untried.h"

namespace kw::search {

/// Asks for valid points, each once and at full fidelity, at most `most` of them. The next point is
/// planned as soon as nothing is outstanding, so that finished() is known before the next ask.
class PointTuner : public QueuedStrategy {
 protected:
  struct PlannedPoint {
    KnobPoint point;  ///< An untried point.
    int parent = 0;
    std::string why;
  };

  PointTuner(const TuningJob& job, std::size_t most)
      : job_(job), most_(most), untried_(*job.space) {
    untried_.take(job.start);
  }

  /// Plans the first point; to be called at the end of the final class's constructor.
  void begin() {
    next_ = plan_within_budget();
    is_done_ = !next_;
  }

  /// The next point. Nothing: no point is worth asking for before another outcome is told.
  virtual std::optional<PlannedPoint> plan() = 0;
  virtual void observe(const KnobPoint& point, const Tell& tell) = 0;

  const TuningJob& job() const { return job_; }
  Untried& untried() { return untried_; }
  /// Points that were asked for and not yet told.
  const std::deque<KnobPoint>& pending() const { return pending_; }

  std::optional<Ask> propose() final {
    if (!next_ && !is_done_) next_ = plan_within_budget();
    if (!next_) return std::nullopt;
    Ask ask;
    ask.idea = job_.idea;
    ask.parent = next_->parent;
    ask.role = Role::Tune;
    ask.knobs = std::move(next_->point);
    ask.why = std::move(next_->why);
    next_.reset();
    pending_.push_back(ask.knobs);
    return ask;
  }

  void learn(const Ask& ask, const Tell& tell) final {
    pending_.pop_front();
    observe(ask.knobs, tell);
    if (is_waiting() || next_) return;
    next_ = plan_within_budget();
    is_done_ = !next_;
  }

  bool is_exhausted() const final { return is_done_; }

 private:
  std::optional<PlannedPoint> plan_within_budget() {
    if (planned_ == most_) return std::nullopt;
    std::optional<PlannedPoint> planned = plan();
    if (!planned) return std::nullopt;
    KW_ASSERT(untried_.contains(planned->point));
    untried_.take(planned->point);
    ++planned_;
    return planned;
  }

  const TuningJob job_;
  const std::size_t most_;
  std::size_t planned_ = 0;
  Untried untried_;
  std::deque<KnobPoint> pending_;
  std::optional<PlannedPoint> next_;
  bool is_done_ = false;
};

}  // namespace kw::search
