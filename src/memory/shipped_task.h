// The files of a shipped task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "memory/data_files.h"
#include "task/load.h"

namespace kw::memory {

/// The files of "tasks/`name`" with what they borrow from other shipped tasks; no texts where there
/// is no such task.
Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name);

/// The playbook's files for a task: those under its own name, and those of the tasks that its
/// `like` names, adapted to this task.
std::map<std::string, std::string> shipped_playbook(const DataFiles& data,
                                                    const task::Definition& definition);

}  // namespace kw::memory
