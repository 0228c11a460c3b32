// Auto, which picks the tuner that fits the size of the space, and halving followed by climb.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

class HalvingThenClimb final : public QueuedStrategy {
 public:
  HalvingThenClimb(const TuningJob& job, const StrategyOptions& options)
      : best_(job), options_(options), inner_(make_halving(job, options)) {
    climb_when_done();
  }

  std::string describe() const override {
    return fmt::format("{}, {}", is_climbing_ ? "climb" : "halving", inner_->describe());
  }

 protected:
  std::optional<Ask> propose() override { return inner_->ask(); }

  void learn(const Ask& ask, const Tell& tell) override {
    if (ask.fidelity == 1 && tell.is_correct() && tell.merit > best_.start_merit) {
      best_.start = ask.knobs;
      best_.start_merit = tell.merit;
      best_.parent = tell.ask;
    }
    inner_->tell(tell);
    climb_when_done();
  }

  bool is_exhausted() const override { return is_climbing_ && inner_->finished(); }

 private:
  void climb_when_done() {
    if (is_climbing_ || !inner_->finished()) return;
    is_climbing_ = true;
    inner_ = make_climb(best_, options_);
  }

  TuningJob best_;  // the job with the best point so far as its start
  const StrategyOptions options_;
  bool is_climbing_ = false;
  std::unique_ptr<Strategy> inner_;
};

}  // namespace

std::unique_ptr<Strategy> make_halving_climb(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<HalvingThenClimb>(job, options);
}

std::unique_ptr<Strategy> make_auto(const TuningJob& job, const StrategyOptions& options) {
  const std::size_t limit = options.exhaustive_up_to;
  if (job.space->valid_points(limit + 1).size() <= limit) return make_exhaustive(job, options);
  return make_bayesian(job, options);
}

}  // namespace kw::search
