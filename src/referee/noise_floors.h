// The noise floors of a timing: the ratio that the opponent shows against itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/result.h"
#include "measure/sampling_plan.h"
#include "referee/timed_lives.h"
#include "referee/timed_opponent.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Measures or remembers by how much equal kernels may differ at each workload.
class NoiseFloors {
 public:
  /// All arguments must outlive the object.
  NoiseFloors(TimingSite& site, TimedSets& sets, TimedOpponent& opponent, TimedLives& lives)
      : site_(site), sets_(sets), opponent_(opponent), lives_(lives) {}

  /// Largest noise floor over all workloads, remembered or measured. If every win is so large that
  /// it does not depend on a floor, the floors stay unknown and an assumed value is returned.
  Result<double> learn(const measure::PairPlan& plan);
  /// The largest noise floor of all workloads; nothing while the floor of one workload is unknown.
  std::optional<NoiseFloor> worst() const;
  /// Ratio of worst(); 0 while a floor is not known.
  double worst_ratio() const { return worst().value_or(NoiseFloor()).ratio; }

 private:
  Result<> measure_at(TimedWorkload& at);
  /// Gives a workload another workload's floor, or an assumed one, because measuring it would take
  /// `expected_ns`.
  void borrow(TimedWorkload& at, double expected_ns, bool is_late);
  /// Times the opponent against itself in fresh processes, for at most `most` pairs.
  Result<std::vector<measure::PairedSample>> measure_series(TimedWorkload& at, int number, int most,
                                                            bool is_last);

  TimingSite& site_;
  TimedSets& sets_;
  TimedOpponent& opponent_;
  TimedLives& lives_;
};

}  // namespace kw::referee
