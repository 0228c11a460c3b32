// Random tuner: random untried points; other tuners must be better than this.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "search/methods.h"
#include "search/point_tuner.h"

namespace kw::search {
namespace {

class RandomTuner final : public PointTuner {
 public:
  RandomTuner(const TuningJob& job, const StrategyOptions& options)
      : PointTuner(job, options.tuning_points), rng_(job.seed) {
    begin();
  }

  std::string describe() const override { return fmt::format("{} random points", asked()); }

 protected:
  std::optional<PlannedPoint> plan() override {
    auto point = untried().draw(rng_);
    if (!point) return std::nullopt;
    std::string why = fmt::format("random point: {}", to_text(*point));
    return PlannedPoint{std::move(*point), job().parent, std::move(why)};
  }

  void observe(const KnobPoint&, const Tell&) override {}

 private:
  Rng rng_;
};

}  // namespace

std::unique_ptr<Strategy> make_random_tuner(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<RandomTuner>(job, options);
}

}  // namespace kw::search
