// The kernel that a command is given: a file, or the best of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/verdict.h"
#include "store/run_store.h"
#include "task/definition.h"

namespace kw::cli {

/// How a file that launches its kernels by host code became a candidate.
struct DraftedPlan {
  std::string function;                  ///< The host function that was read.
  std::vector<std::string> assumptions;  ///< With places, one line each.
  std::string command;                   ///< Writes the candidate to a file.
};

/// A person's file, or why it is no candidate.
struct GivenKernel {
  Candidate candidate;
  std::optional<DraftedPlan> drafted;
  std::string refusal;  ///< In one line; empty: it is a candidate.
  std::vector<Finding> findings;
};

/// Every command reads a person's file by this. A task's own host launcher is the baseline that it
/// is; a .cu file that launches its kernels by host code becomes the candidate that `kw plan draft`
/// would write. Errors: no such file, a knob that there is not.
Result<GivenKernel> read_kernel(const std::string& file, Target target,
                                const task::Definition& definition,
                                const std::vector<std::string>& settings = {});

/// Says on standard error that a plan was drafted, and what was assumed.
void say_drafted(const std::string& file, const DraftedPlan& drafted);
nlohmann::json drafted_json(const DraftedPlan& drafted);

/// read_kernel() for commands without a verdict of their own: what is wrong with the file are the
/// error's words, and a drafted plan is told at once.
Result<Candidate> kernel_in_file(const std::string& file, Target target,
                                 const task::Definition& definition,
                                 const std::vector<std::string>& settings = {});
/// Sets knobs of a candidate.
Result<> set_knobs(Candidate& kernel, const std::vector<std::string>& settings);

/// A run's fastest correct candidate, at its knobs. Errors: a run of another task or target, or
/// without one.
Result<Candidate> best_of_run(const store::RunStore& store, const RunSummary& run, Target target,
                              const task::Definition& definition);

}  // namespace kw::cli
