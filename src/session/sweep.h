// Sweeps: judges one kernel over sizes of a task, and writes a table and a plot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/evaluation.h"
#include "session/aim.h"
#include "session/options.h"

namespace kw::session {

struct SweepRange {
  std::string dim;
  std::vector<std::int64_t> values;           ///< In rising order, not empty.
  std::map<std::string, std::int64_t> fixed;  ///< Values of the dims that do not vary.
};

struct SweepRequest {
  std::string task;
  Aim aim{};
  SweepRange plan{};
  std::string kernel{};    ///< A source file; empty: the best kernel of a run.
  std::string run{};       ///< The run whose best kernel is timed; empty: the latest of the task.
  std::string baseline{};  ///< The opponent by name; empty: the fastest.
  std::string workload{};  ///< The timed workload whose sizes vary; empty: the first.
};

struct SweepPoint {
  std::int64_t value = 0;
  Evaluation evaluation;
  std::string skipped;  ///< Why the point was not judged; empty: it was.

  bool is_good() const { return !skipped.empty() || evaluation.verdict.is_correct(); }
  /// The timed workload; null: nothing was timed.
  const WorkloadResult* timed() const;
  /// The outcome's name, or "skipped".
  std::string outcome() const;
  /// How the judgement of a point that was not timed ended, in words.
  std::string failure_words() const;
};

struct SweepResult {
  std::string task;
  std::string dim;
  std::string kernel;
  std::string kernel_from;  ///< Where the kernel comes from, in words.
  std::string baseline;     ///< The opponent; empty: the swept kernel is the best baseline itself.
  DeviceFacts device;
  std::vector<SweepPoint> points;
  bool is_whole = false;  ///< False: an interruption left points out.
  std::string csv;        ///< The path of the table.
  std::string svg;        ///< The path of the plot.
};

/// Watches a sweep. Calls come from the thread that sweeps.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  /// The kernels are known, and the first point is judged next.
  virtual void on_begin(const SweepResult& /*so_far*/) {}
  virtual void on_point(const SweepResult& /*so_far*/, const SweepPoint& /*point*/) {}
};

/// Judges the kernel at each size in pairs with the baseline, and writes the points to
/// runs/sweeps/<task>-<dim>-<n>, as .csv and .svg. After an interruption (Options::is_interrupted)
/// the points so far are written. Costs a second of the device for each point, and the timing of
/// baselines that this workspace has not timed. Errors: the task, kernel or run cannot be used, or
/// this machine cannot judge.
Result<SweepResult> sweep(const Options& options, const SweepRequest& request,
                          SweepObserver& observer);

}  // namespace kw::session
