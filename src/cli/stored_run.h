// A stored run as report data, for commands that show finished runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/flags.h"
#include "engine/workbench.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::cli {

/// Loads a run's summary, best attempt and confirmation from the store; baselines and device stay
/// empty.
Result<report::RunData> load_run(const store::RunStore& store, const std::string& name);

/// Rebuilds the workbench on which a run searched, from its task as it is now, or from its
/// landscape. Error: the task has changed since the run.
Result<std::unique_ptr<engine::Workbench>> workbench_of(const Global& global,
                                                        const RunSummary& run);

/// Whether `run` has ended and no process works on it, so that its stored data will not change any
/// more.
bool is_over(const RunSummary& run);

}  // namespace kw::cli
