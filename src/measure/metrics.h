// Common metrics over samples of several tasks: pass@k, speedup@k, efficiency@k, fast_p, geometric
// means, and a bootstrap over tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/statistics.h"

namespace kw::measure {

/// Speedup of a failed try: no reply, not compiled, wrong, cheated, or not measurable. The speedup
/// of any other try is baseline time ÷ candidate time, above 0.
inline constexpr double kFailed = 0;

/// Independent tries at one task, in any order.
struct TaskSamples {
  std::string task;
  std::vector<double> speedups;  ///< By try; kFailed for a try that failed.
};

// How failures count follows one rule in every metric: a failed try is never left out where a
// correct try would have counted, and never earns what a correct try earns.
//   pass@k          a failure is a failure
//   speedup@k       a failure has speedup 0, so it comes first in the order from slow to fast
//   efficiency@k    a failure has speedup 0, as for speedup@k
//   fast_p          a failure is not fast, at p = 0 neither (the comparison is strict)
//   geomean correct failures are left out, as the metric's name says
//   geomean all     a failure counts as kWorst, and so does whatever is slower than kWorst: with 0
//                   there would be no mean, and with 1, as in some harnesses, failing is free
inline constexpr double kWorst = 1.0 / 16;

/// Chance that at least one of k tries, drawn from n without replacement, is among the c correct
/// ones: 1 - C(n-c, k) / C(n, k), the unbiased estimate of Chen et al. 2021 (arXiv 2107.03374).
/// Needs 0 <= c <= n and 1 <= k <= n.
double pass_at(int k, int n, int c);
/// Expected best speedup of k of these tries: with s sorted from slow to fast, the sum over j of
/// C(j-1, k-1) / C(n, k) * s_j (ParEval, arXiv 2401.12554; arXiv 2601.15727, eq. 2). Needs
/// 1 <= k <= n.
double speedup_at(int k, std::span<const double> speedups);

// In metrics over tasks each task weighs the same. The result is nothing if there are no tasks, or
// if a task has fewer than k tries.
std::optional<double> pass_at(int k, std::span<const TaskSamples> tasks);
std::optional<double> speedup_at(int k, std::span<const TaskSamples> tasks);
/// speedup@k per compute resource that the candidates used; `resources` > 0. Against a baseline
/// that uses one resource, 1 is perfect scaling (arXiv 2601.15727, eq. 3).
std::optional<double> efficiency_at(int k, double resources, std::span<const TaskSamples> tasks);
/// Share of tries that are correct and strictly faster than p times the baseline (KernelBench).
std::optional<double> fast_p(double p, std::span<const TaskSamples> tasks);
/// Geometric mean over tasks of the geometric mean of each task's correct tries; tasks without a
/// correct try are left out. Nothing if no task has one.
std::optional<double> geomean_correct(std::span<const TaskSamples> tasks);
/// Geometric mean over tasks of the geometric mean of each task's tries; failures count as kWorst.
std::optional<double> geomean_all(std::span<const TaskSamples> tasks);

using Metric = std::function<std::optional<double>(std::span<const TaskSamples>)>;

/// Percentile interval of a metric if the tasks were other tasks of their kind: tasks are drawn
/// with replacement, each with all of its tries. Draws for which the metric is nothing are left
/// out. Nothing for fewer than two tasks. Deterministic for a seed.
std::optional<Interval> bootstrap(const Metric& metric, std::span<const TaskSamples> tasks,
                                  double alpha = 0.05, std::uint64_t seed = 1, int draws = 1000);

}  // namespace kw::measure
