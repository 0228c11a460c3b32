// Judges one kernel on this machine, from its file to the verdict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/evaluation.h"
#include "session/aim.h"
#include "session/given_kernel.h"
#include "session/options.h"

namespace kw::session {

/// How a kernel is measured, and what is looked at afterwards.
struct Measuring {
  int pairs = 0;             ///< Time exactly this many pairs; 0: until decided.
  double checked_share = 0;  ///< Share of the output checked after each timed call; 0: the default.
  std::vector<std::string> only;  ///< Timed workloads by name; empty: all.
  bool sustained = false;         ///< cuda: also time calls back to back.
  Inspection inspect;

  /// Sets the request's measurement. Error: it has no such timed workload.
  Result<> apply(EvaluationRequest& request) const;
};

struct JudgeRequest {
  std::string file;  ///< The candidate's source.
  std::string task;  ///< A folder, or the name of a task.
  Aim aim{};
  std::vector<std::string> settings{};  ///< Knob values "K=V".
  std::string baseline{};        ///< The opponent by name; empty: the fastest known on this device.
  Stage until = Stage::Measure;  ///< The last stage: Compile, Check or Measure.
  Measuring measuring{};
};

struct JudgeResult {
  Evaluation evaluation;
  std::optional<DraftedPlan> drafted;
};

/// Judges the kernel of a request. A source that is no candidate gets the verdict (propose,
/// no_candidate). Compiling alone for cuda needs neither GPU nor driver where `aim` names the
/// architecture. Costs a worker's start and, up to Stage::Measure, some seconds of the device, plus
/// the timing of baselines that this workspace has not timed. Errors: the task or file cannot be
/// read, or this machine cannot judge.
Result<JudgeResult> judge(const Options& options, const JudgeRequest& request);

/// The evaluation with the file's name as the user gave it, in place of the name that each stage
/// used.
Evaluation named_as_given(Evaluation evaluation, const std::string& file);

}  // namespace kw::session
