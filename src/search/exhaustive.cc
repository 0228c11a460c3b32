// Exhaustive tuner: tries every valid point once.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

class Exhaustive final : public QueuedStrategy {
 public:
  explicit Exhaustive(const TuningJob& job) : job_(job) {
    constexpr std::size_t kMost = 1 << 20;
    for (KnobPoint& point : job.space->valid_points(kMost))
      if (point != job.start) points_.push_back(std::move(point));
  }

  std::string describe() const override {
    return fmt::format("point {} of {}", next_, points_.size());
  }

 protected:
  std::optional<Ask> propose() override {
    if (next_ == points_.size()) return std::nullopt;
    Ask ask;
    ask.idea = job_.idea;
    ask.parent = job_.parent;
    ask.role = Role::Tune;
    ask.knobs = points_[next_++];
    ask.why = fmt::format("point {} of {}: {}", next_, points_.size(), to_text(ask.knobs));
    return ask;
  }

  void learn(const Ask&, const Tell&) override {}

  bool is_exhausted() const override { return next_ == points_.size(); }

 private:
  const TuningJob job_;
  std::vector<KnobPoint> points_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const TuningJob& job, const StrategyOptions&) {
  return std::make_unique<Exhaustive>(job);
}

}  // namespace kw::search
