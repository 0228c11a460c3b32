// Rules that turn what is known about an evaluation into ranked plain statements. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "record/candidate.h"
#include "record/device.h"
#include "record/evaluation.h"
#include "record/plan.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw::profile {

/// What the rules use besides the evaluation. Everything is borrowed for the call; pointers may be
/// null.
struct Facts {
  const Task* task = nullptr;  ///< The task, whose goals are reported.
  const BuildUnit* unit =
      nullptr;                    ///< The candidate's unit, for code frames and the compiler's log.
  const GpuFacts* gpu = nullptr;  ///< cuda: the device, for the rules about kernels.
  std::span<const RolePlan> plans = {};  ///< cuda: timed_plans() of the candidate.
};

/// All findings of an evaluation, most important first, ranks 1, 2, …: those that the evaluation
/// holds already (diagnostics, mismatches) and those that the rules add: the verdict's own
/// evidence, loops that stayed scalar, kernels and launches (kernel_rules.h), roofline and advice
/// per workload, speedup, spread, gap to each goal. At most `limit`.
std::vector<Finding> explain(const Evaluation& evaluation, const Facts& facts,
                             std::size_t limit = 24);

}  // namespace kw::profile
