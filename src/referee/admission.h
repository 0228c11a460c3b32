// Admission of a task: every answer that ignores the work must fail, and the honest one must pass.
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

/// One null answer (design §4) on one workload.
struct NullAnswer {
  std::string name;  ///< "zeros", "copy of x", "inputs rounded to 11 bits", …
  std::string workload;
  Group group = Group::Check;
  bool is_applicable = true;  ///< False: it equals the right answer, or the shapes do not allow it.
  bool passed = false;  ///< The gates took it for correct: a hole, unless another workload sees it.
  double gate_fraction = 0;  ///< Largest |d| ÷ allowed; how clearly it failed.
  std::string note;
};

/// The trusted baseline at its own gates on one workload.
struct BaselineFigure {
  std::string workload;
  bool passed = false;
  double gate_fraction = 0;  ///< 0.25 and below: a factor 4 to spare.
  std::string failure;
};

struct Admission {
  bool is_admitted = false;
  std::vector<std::string> problems;  ///< Whole sentences; empty exactly if admitted.
  std::vector<std::string> remarks;   ///< Worth knowing, no ground to refuse.
  std::vector<NullAnswer> answers;
  std::vector<BaselineFigure> baseline;
  /// Too large for the memory that is free, or for the host to do a GPU's; smaller ones stand for
  /// them.
  std::vector<SkippedWorkload> unexamined;
};

/// Applies every null answer to every workload of the groups check and time: zeros, ones, the mean,
/// a copy of each input, the previous output, inputs rounded one precision down (f32 to 11 bits,
/// f64 to 24), the last row, plane and tile missing, one block of one input ignored, one input
/// ignored altogether. Each must fail at least one check workload and every examined timed one
/// where it applies. `units` are the task's references, built. Runs the reference several times per
/// workload: seconds to minutes. Deterministic given the request's seed. Errors as for
/// Referee::judge.
/// `host` as for Referee: gates and truths are of no device, so they are examined there, and on the
/// device itself the fast reference is held against the truth.
Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, std::int64_t timeout_ns,
                        Patience patience = {});

}  // namespace kw::referee
