// The best kernels of one task for several targets, side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_data.h"
#include "session/options.h"

namespace kw::session {

/// This project's aim for a GPU kernel: 5 to 10 times the throughput of the CPU kernel.
inline constexpr double kLeastGain = 5;
inline constexpr double kFullGain = 10;

/// The best run of one target.
struct BestOfTarget {
  Target target = kDefaultTarget;
  report::RunData data;
  Evaluation evaluation;   ///< The evaluation of the confirmation, or else of the search.
  double items_per_s = 0;  ///< Throughput: geometric mean over the timed workloads.

  bool is_confirmed() const { return data.confirmation.has_value(); }
};

/// The task's sequential code, as the best run for a target that runs references measured it. The
/// reference was timed alone and at the sizes of that target, so it is shown beside the kernels but
/// no ratio uses it.
struct SequentialReference {
  Target target = kHostTarget;
  std::string name;
  Evaluation evaluation;
  double items_per_s = 0;  ///< 0: the reference was not timed.
};

struct TargetComparison {
  std::string task;
  std::vector<BestOfTarget> bests;  ///< In the order of the request, not empty.
  std::vector<Target> missing;      ///< Targets for which no run found a correct kernel.
  std::optional<SequentialReference> reference;  ///< Nothing: no target runs it.
  /// Throughput of the last target divided by that of the first; 0: one of the targets has no run.
  double gain = 0;
  double roof = 0;  ///< The last target's share of its roofline.
  double wanted_roof = 0;
  std::string svg;  ///< A plot of throughput over size.
};

/// The workloads of an evaluation that were timed.
std::vector<const WorkloadResult*> timed_workloads(const Evaluation& evaluation);

/// Compares the best runs of a task by target; judges nothing. Error: the task is not known, or no
/// run found a correct kernel.
Result<TargetComparison> compare_targets(const Options& options, const std::string& task,
                                         const std::vector<Target>& targets);

}  // namespace kw::session
