// What a soak (repeated judging on fresh inputs) found: errors of each workload, and how an error
// grows with a dimension. No side effects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/evaluation.h"

namespace kw::session {

/// The errors of one workload over all judgements of a soak.
struct SoakedWorkload {
  std::string name;
  int judgements = 0;
  double first_rel_l2 = 0;  ///< The relative error of the first judgement.
  double last_rel_l2 = 0;   ///< The relative error of the latest judgement.
  double worst_rel_l2 = 0;
  double worst_max_abs = 0;
  double worst_gate_fraction = 0;  ///< The largest |d| as a fraction of what the gate allows.
  bool is_nondeterministic = false;
};

/// The result of judging at one value of the dimension that a soak doubles.
struct GrowthPoint {
  std::int64_t value = 0;
  Outcome outcome = Outcome::Correct;
  double rel_l2 = 0;
  double max_abs = 0;
  double gate_fraction = 0;
};

class SoakTally {
 public:
  /// Adds the results of one judgement, for each of its workloads.
  void add(const Evaluation& evaluation);
  const std::vector<SoakedWorkload>& workloads() const { return workloads_; }
  int judgements() const { return judgements_; }

 private:
  int judgements_ = 0;
  std::vector<SoakedWorkload> workloads_;
};

/// The exponent p of rel_l2 = c value^p, by least squares of the logarithms over points with an
/// error above 0; 0 if there are fewer than two such values. About 0.5 means that rounding errors
/// add up like a random walk, 1 that they are biased, more that the algorithm is unstable.
double growth_exponent(const std::vector<GrowthPoint>& points);

}  // namespace kw::session
