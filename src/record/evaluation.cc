// What follows from an evaluation by arithmetic alone.
// SPDX-License-Identifier: Apache-2.0
#include "record/evaluation.h"

#include <cmath>

namespace kw {

double Evaluation::mean_time_ns() const {
  double log_sum = 0;
  int n = 0;
  for (const WorkloadResult& w : workloads) {
    if (w.group != Group::Time || w.median_ns <= 0) continue;
    log_sum += std::log(w.median_ns);
    ++n;
  }
  return n == 0 ? 0 : std::exp(log_sum / n);
}

}  // namespace kw
