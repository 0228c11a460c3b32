// The files of a shipped task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "memory/data_files.h"
#include "task/load.h"

namespace kw::memory {

/// The files of "tasks/`name`", together with those that it takes from other shipped tasks; no
/// texts where there is no such task.
Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name);

/// The playbook's files for a task: those under its own name, and those of the tasks that its
/// `like` names, adapted to this task. Kernels written for a shipped task with another function,
/// other parameters or other dims are left out. Parses the shipped tasks concerned, which takes
/// some milliseconds.
std::map<std::string, std::string> shipped_playbook(const DataFiles& data,
                                                    const task::Definition& definition);

/// Why the playbook's kernels under the task's own name cannot be used for it, as a sentence for
/// people; empty where they can be, or where there are none.
std::string why_playbook_left_out(const DataFiles& data, const task::Definition& definition);

}  // namespace kw::memory
