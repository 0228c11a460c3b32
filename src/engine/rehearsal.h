// Finds out what a run would first ask for, by the run's own code, without judging or keeping
// anything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/run.h"

namespace kw::engine {

/// What a rehearsal needs; everything is borrowed.
struct Rehearsal {
  const Workbench& workbench;
  /// The workspace's store: its lessons, knowledge and graph are what a run would begin with.
  store::RunStore& store;
  store::RunStore& scratch;  ///< Takes what the run would store; the caller throws it away.
  const platform::Clock& clock;
  /// Opens the models that get the first request; their reply ends the rehearsal.
  const Writing& writing;
  const Learning* learning = nullptr;  ///< Null: prompts contain nothing about earlier runs.
};

/// Asks the models of `stage.writing` for the first source that a run of `config` against
/// `baseline` would have written from the task alone. Returns the names of the task's own kernels
/// that the run would judge before; if there are any, the run's first request improves the best of
/// them, unless none is correct. An error: the strategy asks for no sources.
Result<std::vector<std::string>> rehearse(const Rehearsal& stage, const RunConfig& config,
                                          const BaselineStanding& baseline);

/// The same as rehearse() for an errand that has a parent, such as a repair; the parent becomes
/// attempt 1.
Result<> rehearse_errand(const Rehearsal& stage, const RunConfig& config,
                         const BaselineStanding& baseline, Errand errand, Attempt parent);

}  // namespace kw::engine
