// The kernel that a command is given: a file, or the best of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/candidate.h"
#include "store/run_store.h"
#include "task/definition.h"

namespace kw::cli {

/// A person's file as a candidate, at its default knobs but for `settings` (K=V); what is wrong
/// with it are the error's words.
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
