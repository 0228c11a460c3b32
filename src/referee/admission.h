// Admission of a task: every answer that ignores the work must fail, every kernel that is slightly
// wrong at a timed size must fail, and the honest kernel must pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/patience.h"

namespace kw::referee {

/// One null answer on one workload: an answer that is made without the task's work
/// (docs/admission.md).
struct NullAnswer {
  std::string name;  ///< Such as "zeros", "copy of x", "inputs rounded one precision down".
  std::string workload;
  Group group = Group::Check;
  /// False if the answer equals the right one, or if the shapes do not allow it. A constant that is
  /// the right answer applies, and passes: no kernel needs to do any work for it.
  bool is_applicable = true;
  /// True if the gates accept this answer, which is a hole unless another workload refuses it.
  bool passed = false;
  double gate_fraction = 0;  ///< Largest |d| ÷ allowed: how clearly the answer failed.
  std::string note;
};

enum class MutantFate {
  Caught,        ///< The gates refused the mutant's answer on one input set.
  Passed,        ///< The gates accepted the mutant's answer on every input set: a hole.
  Excused,       ///< The gates accepted the mutant's answer, and the task says why that is right.
  Inapplicable,  ///< On every set the mutant's answer was the right one, or there was none.
  /// On every set the mutant's answer was the right one, although the mutant reads or computes too
  /// little for that: a hole, because the workload asks for no more.
  Blind,
};

/// Whether this fate refuses the task.
constexpr bool is_hole(MutantFate fate) {
  return fate == MutantFate::Passed || fate == MutantFate::Blind;
}

/// One mutant (mutant.h) on one timed workload.
struct MutantResult {
  std::string name;
  std::string workload;
  MutantFate fate = MutantFate::Inapplicable;
  /// Largest |d| ÷ allowed on the input set on which the gates refused the mutant; if none did, the
  /// largest over all sets.
  double gate_fraction = 0;
  int sets = 0;            ///< Number of input sets on which the mutant was tried.
  std::string input = {};  ///< Name of the input of which a mutant reads one part only; else empty.
  /// Why the mutant does not apply, why the task lets it pass, or how large the changed part is.
  std::string note;
};

/// BuildUnit::role of the reference at the task's type with its sums in another order, as every
/// vectorised kernel has them. A request may lack the unit.
inline constexpr const char* kReorderedRole = "reference_reordered";

/// The unit of this role: the source of the request's reference_native, compiled so that sums may
/// be vectorised. Nothing where the request has no such reference.
std::optional<BuildUnit> reordered_unit(const EvaluationRequest& request);

/// How well the trusted baseline passes the task's gates on one workload.
struct BaselineFigure {
  std::string workload;
  bool is_reordered = false;  ///< The figures of kReorderedRole.
  bool passed = false;
  double gate_fraction = 0;  ///< Largest |d| ÷ allowed; at most 0.25 leaves a factor 4 to spare.
  std::string failure = {};
};

/// The problem that is reported when the time budget ended an examination: it says nothing against
/// the task.
inline constexpr std::string_view kTimeWasSpent =
    "The time was spent before everything was examined: give more with '--time'.";

struct Admission {
  bool is_admitted = false;
  std::vector<std::string> problems;  ///< Whole sentences; empty exactly if admitted.
  std::vector<std::string> remarks;  ///< Facts worth knowing that are no ground to refuse the task.
  std::vector<NullAnswer> answers;
  std::vector<MutantResult> mutants;
  std::vector<BaselineFigure> baseline;
  /// Workloads that are too large for the free memory, or that were left when the time was spent.
  std::vector<SkippedWorkload> unexamined;
};

/// Time limits of an admission, and whom it tells about long waits.
struct AdmissionOptions {
  std::int64_t timeout_ns = 0;  ///< Limit of one call of a reference on a timed workload.
  std::int64_t budget_ns = 0;   ///< No further step begins after this time; 0: no limit.
  Patience patience = {};
};

/// Applies every null answer to every workload of the groups check and time: zeros, ones, the mean,
/// one byte everywhere, the commonest value of another input set's answer, a copy of each input,
/// the previous output, inputs rounded one precision down (f32 to 11 bits, f64 to 24), the last
/// plane, column and tile missing, one block of one input ignored, one input ignored altogether.
/// Each null answer must fail on at least one check workload, and on every examined timed workload
/// where it applies. Then applies every mutant to every timed workload; the gates must refuse each
/// mutant on one of a few dozen input sets. `units` of the request are the task's references,
/// built. Runs the reference some forty times per timed workload: seconds to minutes. Deterministic
/// given the request's seed. Errors as for Referee::judge.
///
/// `host` has the meaning that it has for Referee. Workloads are examined on the host, because
/// gates and truths do not depend on the device; only a workload that needs the fast reference is
/// examined on the device, after the fast reference has agreed with the host's.
Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, const AdmissionOptions& options);

}  // namespace kw::referee
