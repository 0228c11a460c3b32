// Mode `specialised`: chooses knobs for each timed shape, and makes one kernel that dispatches
// among them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/run.h"
#include "engine/task_workbench.h"
#include "task/specialise.h"

namespace kw::engine {

/// The choice for one timed workload.
struct ShapeChoice {
  std::string workload;
  /// The build for this workload; none if no point was confirmed faster there than the kernel
  /// itself.
  std::optional<task::Arm> arm;
  int tried = 0;          ///< Number of points that were judged.
  int failed = 0;         ///< Number of points that failed: not built, wrong, or not measurable.
  Verdict first_failure;  ///< Verdict on the first point that failed.
  /// Comparison of the fastest point with the kernel itself at this workload; none if no point
  /// seemed faster.
  std::optional<Evaluation> confirmation;
};

struct Specialised {
  std::vector<ShapeChoice> shapes;
  std::optional<Candidate> kernel;          ///< None: no shape gained anything.
  std::optional<Evaluation> over_baseline;  ///< The kernel's confirmation at all workloads.
  std::optional<Terms> terms;               ///< Terms of the confirmation `over_baseline`.

  /// Whether there is a kernel to keep: each of its builds was confirmed faster at its shape than
  /// the original kernel, and the whole is correct. Whether it beats the baseline is a separate
  /// question.
  bool is_kept() const { return over_baseline && over_baseline->verdict.is_correct(); }
};

struct SpecialiseOptions {
  /// Number of points of the knobs that are tried at each shape; the kernel's own point is one of
  /// them.
  int points = 12;
  std::string baseline = {};
};

/// Tries points of the kernel's space at one timed workload after another, each in a build with
/// that shape's sizes as constants, against the kernel itself. The fastest is confirmed there on
/// fresh seeds, and kept if it is certainly faster. All kept builds become one kernel, which is
/// confirmed as a whole against the baseline. `kernel` has the knobs that all other shapes keep.
/// `on_shape` is called for each choice. An interrupt is an error. Costs points × shapes
/// judgements, and a confirmation for each shape (at most 2 s of timed calls) and for the whole (3
/// s).
Result<Specialised> specialise(const Surroundings& s, const TaskWorkbench& workbench,
                               const Candidate& kernel, const SpecialiseOptions& options,
                               const std::function<void(const ShapeChoice&)>& on_shape);

}  // namespace kw::engine
