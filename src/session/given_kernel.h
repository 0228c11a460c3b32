// The kernel that a command is given: a file, or the best kernel of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/verdict.h"
#include "session/options.h"
#include "store/run_store.h"
#include "task/definition.h"

namespace kw::session {

/// How a file that launches its kernels by host code was turned into a candidate.
struct DraftedPlan {
  std::string function;                  ///< The host function that was read.
  std::vector<std::string> assumptions;  ///< Assumptions, one line each, with places.
  std::string command;                   ///< The command that writes the candidate to a file.
};

/// A candidate from a person's file, or the reason why the file cannot be one.
struct GivenKernel {
  Candidate candidate;
  std::optional<DraftedPlan> drafted;
  std::string refusal;  ///< The reason in one line; empty: the file is a candidate.
  std::vector<Finding> findings;
};

/// Reads a person's file; every command uses this function. A file that equals one of the task's
/// host launchers becomes that baseline; any other .cu file that launches its kernels by host code
/// becomes the candidate that `kw plan draft` would write. Errors: a missing file, an unknown knob.
Result<GivenKernel> read_kernel(const std::string& file, Target target,
                                const task::Definition& definition,
                                const std::vector<std::string>& settings = {});

/// What a person should know of a drafted plan, line by line: that it was drafted, and each
/// assumption.
std::vector<std::string> notices_of(const std::string& file, const DraftedPlan& drafted);

/// read_kernel() for commands that report no verdict: problems of the file become the error, and a
/// drafted plan is reported to the options' on_notice.
Result<Candidate> kernel_in_file(const Options& options, const std::string& file, Target target,
                                 const task::Definition& definition,
                                 const std::vector<std::string>& settings = {});
/// Sets a candidate's knobs from texts of the form `K=V`.
Result<> set_knobs(Candidate& kernel, const std::vector<std::string>& settings);

/// A run's fastest correct candidate, with the knob values that it was measured with. Errors: the
/// run has another task or target, or no correct candidate.
Result<Candidate> best_of_run(const store::RunStore& store, const RunSummary& run, Target target,
                              const task::Definition& definition);

}  // namespace kw::session
