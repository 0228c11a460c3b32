// Rehearsal: the first words of a run, found out by the run's own code without judging or keeping
// anything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/run.h"

namespace kw::engine {

/// What a rehearsal needs; all borrowed.
struct Rehearsal {
  const Workbench& workbench;
  /// Of the workspace: its lessons, knowledge and graph are what a run would begin with.
  store::RunStore& store;
  store::RunStore& scratch;  ///< Takes what the run would keep; thrown away by the caller.
  const platform::Clock& clock;
  /// Its models are sent what would be asked first; what they reply ends the rehearsal.
  const Writing& writing;
  const Learning* learning = nullptr;  ///< Null: prompts are told nothing of earlier runs.
};

/// Asks the writing's desk for the first source that a run of `config` against `baseline` would
/// have written from the task alone. Returns the names of the task's own kernels that the run would
/// judge before; where there are any its first word improves the best of them, unless none is
/// correct. An error: the strategy wants nothing written.
Result<std::vector<std::string>> rehearse(const Rehearsal& stage, const RunConfig& config,
                                          const BaselineStanding& baseline);

/// The same for an errand with a parent, which becomes attempt 1.
Result<> rehearse_errand(const Rehearsal& stage, const RunConfig& config,
                         const BaselineStanding& baseline, Errand errand, Attempt parent);

}  // namespace kw::engine
