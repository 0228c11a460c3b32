// Decides by a clock and by a flag whether an evaluation must end early.
// SPDX-License-Identifier: Apache-2.0
#include "referee/haste.h"

#include <utility>

namespace kw::referee {

Haste::Haste(const Options& options, const MeasureRequest& measure, const platform::Clock& clock)
    : options_(options),
      clock_(clock),
      wall_ns_(measure.wall_ns),
      began_ns_(wall_ns_ > 0 ? clock.now_ns() : 0) {}

bool Haste::is_hurried() const { return options_.is_hurried && options_.is_hurried(); }

Result<std::int64_t> Haste::wait_outside(const std::function<Result<>()>& wait) {
  if (!wait) return 0;
  const std::int64_t from = clock_.now_ns();
  KW_TRY(wait());
  const std::int64_t span = clock_.now_ns() - from;
  began_ns_ += span;
  return span;
}

bool Haste::is_past(std::int64_t times) const {
  return wall_ns_ > 0 && clock_.now_ns() - began_ns_ > times * wall_ns_;
}

Verdict interrupted(Evidence at) {
  return make_verdict(Stage::Measure, Outcome::Unmeasurable, std::move(at));
}

}  // namespace kw::referee
