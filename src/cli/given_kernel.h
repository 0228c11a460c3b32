// The kernel that a command is given: a file, or the best of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/candidate.h"
#include "store/run_store.h"
#include "task/definition.h"

namespace kw::cli {

/// A person's file as a candidate at its default knobs; diagnostics are the error's words.
Result<Candidate> kernel_in_file(const std::string& file, Target target,
                                 const task::Definition& definition);

/// A run's fastest correct candidate, at its knobs. Errors: a run of another task or target, or
/// without one.
Result<Candidate> best_of_run(const store::RunStore& store, const RunSummary& run, Target target,
                              const task::Definition& definition);

}  // namespace kw::cli
