// The files of a shipped task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/data_files.h"
#include "task/load.h"

namespace kw::memory {

/// Those of "tasks/`name`", with the truth of another shipped task where it says so; no texts where
/// there is no such task.
Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name);

}  // namespace kw::memory
