// Admission of a task: every answer that ignores the work must fail, so must every kernel that is
// slightly wrong at a size that is timed, and the honest one must pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/patience.h"

namespace kw::referee {

/// One null answer, which is made without the task's work (docs/admission.md), on one workload.
struct NullAnswer {
  std::string name;  ///< "zeros", "copy of x", "inputs rounded one precision down", …
  std::string workload;
  Group group = Group::Check;
  bool is_applicable = true;  ///< False: it equals the right answer, or the shapes do not allow it.
  bool passed = false;  ///< The gates took it for correct: a hole, unless another workload sees it.
  double gate_fraction = 0;  ///< Largest |d| ÷ allowed; how clearly it failed.
  std::string note;
};

enum class MutantFate {
  Caught,        ///< The gates refused it on one of the input sets tried.
  Passed,        ///< They took it for correct on every one: a hole.
  Excused,       ///< Passed, and the task says why that is right.
  Inapplicable,  ///< On every set its answer was the right one, or there was none.
};

/// One mutant (mutant.h) on one timed workload.
struct MutantResult {
  std::string name;
  std::string workload;
  MutantFate fate = MutantFate::Inapplicable;
  double gate_fraction = 0;  ///< Where it was caught, else the largest that was seen.
  int sets = 0;              ///< Input sets it was tried on.
  std::string note;  ///< Why it does not apply, what an excuse says, or how large the part is.
};

/// The trusted baseline at its own gates on one workload.
struct BaselineFigure {
  std::string workload;
  bool passed = false;
  double gate_fraction = 0;  ///< 0.25 and below: a factor 4 to spare.
  std::string failure;
};

/// The problem of an examination that its budget ended: nothing is said against the task.
inline constexpr std::string_view kTimeWasSpent =
    "The time was spent before everything was examined: give more with '--time'.";

struct Admission {
  bool is_admitted = false;
  std::vector<std::string> problems;  ///< Whole sentences; empty exactly if admitted.
  std::vector<std::string> remarks;   ///< Worth knowing, no ground to refuse.
  std::vector<NullAnswer> answers;
  std::vector<MutantResult> mutants;
  std::vector<BaselineFigure> baseline;
  /// Too large for the memory that is free, or left when the time was spent.
  std::vector<SkippedWorkload> unexamined;
};

/// How long admission takes and whom it tells.
struct AdmissionOptions {
  std::int64_t timeout_ns = 0;  ///< Of a call of a reference on a timed workload.
  std::int64_t budget_ns = 0;   ///< After which nothing further is begun; 0: however long it takes.
  Patience patience = {};
};

/// Applies every null answer to every workload of the groups check and time: zeros, ones, the mean,
/// a copy of each input, the previous output, inputs rounded one precision down (f32 to 11 bits,
/// f64 to 24), the last plane, column and tile missing, one block of one input ignored, one input
/// ignored altogether. Each must fail at least one check workload and every examined timed one
/// where it applies. Then applies every mutant to every timed workload, each of which must be
/// caught on one of a few dozen input sets. `units` are the task's references, built. Runs the
/// reference some forty times per timed workload: seconds to minutes. Deterministic given the
/// request's seed. Errors as for Referee::judge.
/// `host` as for Referee: gates and truths are of no device, so they are examined there; but where
/// a workload takes the fast reference, on the device, which must first agree with the host's.
Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, const AdmissionOptions& options);

}  // namespace kw::referee
