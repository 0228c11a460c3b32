// How long timed pairs go on: budgets by purpose, and limits of wall time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "measure/sampling_plan.h"
#include "referee/noise_floors.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// What ends the pairs of a measurement early.
struct Cut {
  std::string_view name;  ///< Evidence::subject of the verdict: "wall_clock" or "time_limit".
  std::string_view words;
};

/// Decides from the request's purpose and the time spent when pairs end. Precondition: the site has
/// a workload.
class Pace {
 public:
  /// `site` and `floors` must outlive the object.
  Pace(const TimingSite& site, const NoiseFloors& floors) : site_(site), floors_(floors) {}

  /// What the measurement may cost.
  measure::Limits limits() const;
  /// Why no further pair is timed although the plan wants more; nothing: the pairs go on.
  std::optional<Cut> why_cut(const measure::PairPlan& plan, const measure::Limits& limits,
                             double elapsed_ns) const;

 private:
  /// Wall time after which no further pair of samples is taken if an interval is known.
  double usual_wall_ns(const measure::PairPlan& plan, double budget_ns) const;

  const TimingSite& site_;
  const NoiseFloors& floors_;
};

}  // namespace kw::referee
