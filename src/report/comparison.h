// Winners of two runs side by side, with intervals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/evaluation.h"

namespace kw::report {

/// How much faster `a` is than `b`, both measured in pairs against the same baseline: the quotient,
/// between the quotients of their ends (low over high and high over low), at the confidence that
/// both intervals hold (their risks added). Wider than pairs of the two themselves would give, and
/// as true as the baseline stayed the same in between. None: another baseline, or not measured.
std::optional<Speedup> ratio_of(const Speedup& a, const Speedup& b);

struct ShapeComparison {
  std::string name;
  double median_ns = 0;
  double other_ns = 0;
  std::optional<Speedup> ratio;
};

/// The timed workloads that both have, in the order of `a`.
std::vector<ShapeComparison> compare_shapes(const Evaluation& a, const Evaluation& b);

}  // namespace kw::report
