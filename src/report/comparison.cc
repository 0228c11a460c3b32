// Computes the ratio of two speedups over the same baseline.
// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

namespace kw::report {

std::optional<Speedup> ratio_of(const Speedup& a, const Speedup& b) {
  if (a.low <= 0 || b.low <= 0 || a.baseline != b.baseline) return std::nullopt;
  Speedup ratio;
  ratio.value = a.value / b.value;
  ratio.low = a.low / b.high;
  ratio.high = a.high / b.low;
  ratio.confidence = a.confidence + b.confidence - 1;
  ratio.baseline = a.baseline;
  ratio.is_faster = ratio.low > 1;
  return ratio;
}

std::vector<ShapeComparison> compare_shapes(const Evaluation& a, const Evaluation& b) {
  std::vector<ShapeComparison> shapes;
  for (const WorkloadResult& ours : a.workloads)
    for (const WorkloadResult& theirs : b.workloads)
      if (ours.group == Group::Time && theirs.group == Group::Time && ours.name == theirs.name)
        shapes.push_back(
            {ours.name, ours.median_ns, theirs.median_ns, ratio_of(ours.speedup, theirs.speedup)});
  return shapes;
}

}  // namespace kw::report
