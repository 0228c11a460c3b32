// Mode `specialised`: knobs chosen for each timed shape, and one kernel that dispatches among them.
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

/// What one timed workload got.
struct ShapeChoice {
  std::string workload;
  std::optional<task::Arm>
      arm;                ///< None: nothing was confirmed faster there than the kernel itself.
  int tried = 0;          ///< Points that were judged.
  int failed = 0;         ///< Of these: not built, wrong, or not measurable.
  Verdict first_failure;  ///< Of the first of those.
  /// Of the fastest of them against the kernel itself at this workload; none: none seemed faster.
  std::optional<Evaluation> confirmation;
};

struct Specialised {
  std::vector<ShapeChoice> shapes;
  std::optional<Candidate> kernel;          ///< None: no shape gained anything.
  std::optional<Evaluation> over_baseline;  ///< Its confirmation at all workloads.
  std::optional<Terms> terms;               ///< Of that confirmation.

  /// Whether there is a kernel to keep: each of its builds was confirmed faster at its shape than
  /// the kernel it is made of, and the whole is correct. Faster than the baseline is another
  /// question.
  bool is_kept() const { return over_baseline && over_baseline->verdict.is_correct(); }
};

struct SpecialiseOptions {
  int points = 12;  ///< Of the knobs, tried at each shape; the kernel's own is one.
  std::string baseline = {};
};

/// Tries points of the kernel's space at one timed workload after another, each as a build with
/// that shape's sizes as constants and against the kernel itself. The fastest is confirmed there on
/// fresh seeds, and kept if it is faster for certain. All that are kept become one kernel, which is
/// confirmed as a whole against the baseline. `kernel` is at the knobs that all other shapes keep.
/// `on_shape` hears of each choice. An interrupt is an error. Costs points x shapes judgements, and
/// a confirmation for each shape (2 s of timed calls at most) and the whole (3 s).
Result<Specialised> specialise(const Surroundings& s, const TaskWorkbench& workbench,
                               const Candidate& kernel, const SpecialiseOptions& options,
                               const std::function<void(const ShapeChoice&)>& on_shape);

}  // namespace kw::engine
