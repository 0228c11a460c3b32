// The files of a shipped task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "memory/data_files.h"
#include "task/load.h"

namespace kw::memory {

/// Those of "tasks/`name`", with what it borrows of other shipped tasks; no texts where there is no
/// such task.
Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name);

/// The playbook's files for a task: those under its name, and those of the tasks that it is
/// like, each in the form that serves it.
std::map<std::string, std::string> shipped_playbook(const DataFiles& data,
                                                    const task::Definition& definition);

}  // namespace kw::memory
