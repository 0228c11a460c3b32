// Sums up the judgements of a soak, and fits the exponent of an error's growth.
// SPDX-License-Identifier: Apache-2.0
#include "session/soak_tally.h"

#include <algorithm>
#include <cmath>

namespace kw::session {

void SoakTally::add(const Evaluation& evaluation) {
  ++judgements_;
  for (const WorkloadResult& w : evaluation.workloads) {
    auto at = std::find_if(workloads_.begin(), workloads_.end(),
                           [&](const SoakedWorkload& s) { return s.name == w.name; });
    const Accuracy& a = w.accuracy;
    if (at == workloads_.end())
      at = workloads_.insert(at, {.name = w.name, .first_rel_l2 = a.rel_l2});
    ++at->judgements;
    at->last_rel_l2 = a.rel_l2;
    at->worst_rel_l2 = std::max(at->worst_rel_l2, a.rel_l2);
    at->worst_max_abs = std::max(at->worst_max_abs, a.max_abs_diff);
    at->worst_gate_fraction = std::max(at->worst_gate_fraction, a.gate_fraction);
    at->is_nondeterministic = at->is_nondeterministic || w.is_nondeterministic;
  }
}

double growth_exponent(const std::vector<GrowthPoint>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const GrowthPoint& p : points) {
    if (!(p.rel_l2 > 0) || p.value <= 0) continue;
    const double lx = std::log(static_cast<double>(p.value)), ly = std::log(p.rel_l2);
    n += 1, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  const double spread = n * xx - x * x;
  return n < 2 || spread <= 1e-12 ? 0 : (n * xy - x * y) / spread;
}

}  // namespace kw::session
