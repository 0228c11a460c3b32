// Finds tasks by their names, in the workspace and among the shipped ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "memory/data_files.h"
#include "platform/files.h"
#include "session/options.h"
#include "task/definition.h"

namespace kw::session {

/// Finds the folder of a task NAME, for every command: a folder of that path, or else tasks/NAME in
/// the workspace, which is the working directory unless --workspace is given. Nothing: neither
/// exists.
std::optional<platform::Path> task_folder(const Options& options, const std::string& name);
/// The folder for a new task: NAME is a path if it contains a slash, else the name of a folder in
/// the workspace's tasks/.
platform::Path new_task_folder(const Options& options, const std::string& name);
/// The task in its task_folder(), or else the shipped task of this name. The error about an unknown
/// name suggests the most similar one.
Result<task::Definition> open_task(const Options& options, const memory::DataFiles& data,
                                   const std::string& name);
/// The task for commands that judge or search; an error if the task is a draft that no person has
/// accepted.
Result<task::Definition> open_accepted_task(const Options& options, const memory::DataFiles& data,
                                            const std::string& name);

Result<memory::DataFiles> open_data(const Options& options);

}  // namespace kw::session
