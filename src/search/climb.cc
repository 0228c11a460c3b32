// Climb: tries all neighbours of the best point, moves to the best of them, and repeats until none
// is better.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

constexpr double kLeastStep = 1.003;  // smaller gains are noise at full fidelity

std::ptrdiff_t differing_knobs(const KnobPoint& a, const KnobPoint& b) {
  return std::count_if(a.begin(), a.end(),
                       [&](const auto& knob) { return b.at(knob.first) != knob.second; });
}

class Climb final : public QueuedStrategy {
 public:
  explicit Climb(const TuningJob& job)
      : job_(job), here_(job.start), here_merit_(job.start_merit), parent_(job.parent) {
    seen_.insert(job.space->number_of(here_));
    list_neighbours();
  }

  std::string describe() const override {
    return fmt::format("step {} from {}", steps_, to_text(here_));
  }

 protected:
  std::optional<Ask> propose() override {
    if (next_ == around_.size()) return std::nullopt;
    Ask ask;
    ask.idea = job_.idea;
    ask.parent = parent_;
    ask.role = Role::Tune;
    ask.knobs = around_[next_++];
    ask.why = fmt::format("neighbour {} of {} of the best: {}", next_, around_.size(),
                          to_text(ask.knobs));
    return ask;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    const double merit = tell.is_correct() ? tell.merit : 0;
    if (merit > best_around_) {
      best_around_ = merit;
      best_point_ = ask.knobs;
      best_ask_ = tell.ask;
    }
    if (!tell.is_correct()) look_behind(ask.knobs);
    if (next_ < around_.size() || is_waiting()) return;
    if (best_around_ <= kLeastStep * here_merit_) return;
    here_ = best_point_;
    here_merit_ = best_around_;
    parent_ = best_ask_;
    ++steps_;
    list_neighbours();
  }

  bool is_exhausted() const override { return next_ == around_.size(); }

 private:
  void list_neighbours() {
    around_.clear();
    next_ = 0;
    best_around_ = 0;
    for (KnobPoint& point : job_.space->neighbours(here_)) add(std::move(point));
  }

  // Considers points beyond a failed one, since a failure must not hide what follows in the same
  // direction.
  void look_behind(const KnobPoint& failed) {
    for (KnobPoint& point : job_.space->neighbours(failed))
      if (differing_knobs(point, here_) == 1) add(std::move(point));
  }

  void add(KnobPoint point) {
    if (seen_.insert(job_.space->number_of(point)).second) around_.push_back(std::move(point));
  }

  const TuningJob job_;
  KnobPoint here_;
  double here_merit_;
  int parent_;
  int steps_ = 0;
  std::set<std::uint64_t> seen_;
  std::vector<KnobPoint> around_;
  std::size_t next_ = 0;
  double best_around_ = 0;
  KnobPoint best_point_;
  int best_ask_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_climb(const TuningJob& job, const StrategyOptions&) {
  return std::make_unique<Climb>(job);
}

}  // namespace kw::search
