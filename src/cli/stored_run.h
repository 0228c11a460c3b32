// A stored run as report data, for the commands that look back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/flags.h"
#include "engine/workbench.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::cli {

/// Summary, best attempt and confirmation as the store has them; baselines and device stay empty.
Result<report::RunData> load_run(const store::RunStore& store, const std::string& name);

/// The workbench that a run searched on: its task as it is now, or its landscape. An error where
/// the task has changed since.
Result<std::unique_ptr<engine::Workbench>> workbench_of(const Global& global,
                                                        const RunSummary& run);

/// True where `run` ended and nobody works on it: what it stored will not change.
bool is_over(const RunSummary& run);

}  // namespace kw::cli
