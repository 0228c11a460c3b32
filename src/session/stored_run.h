// A stored run as report data, for commands that show finished runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::session {

/// Loads a run's summary, best attempt and confirmation from the store; baselines and device stay
/// empty.
Result<report::RunData> load_run(const store::RunStore& store, const std::string& name);

/// Whether `run` has ended and no process works on it, so that its stored data will not change any
/// more.
bool is_over(const RunSummary& run);

}  // namespace kw::session
