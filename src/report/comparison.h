// Compares the winners of two runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "record/evaluation.h"
#include "report/workload_table.h"

namespace kw::report {

/// How much faster `a` is than `b`, if both were measured in pairs against the same baseline. The
/// interval reaches from a.low / b.high to a.high / b.low, and its risk is the sum of the risks of
/// the two intervals. The interval is wider than one from pairs of the two kernels, and valid only
/// if the baseline was equally fast in both runs. Nothing if the baselines differ or one speedup
/// was not measured.
std::optional<Speedup> ratio_of(const Speedup& a, const Speedup& b);

/// The times and ratios for the timed workloads that both evaluations have, in the order of `a`.
std::vector<ShapeComparison> compare_shapes(const Evaluation& a, const Evaluation& b);

}  // namespace kw::report
