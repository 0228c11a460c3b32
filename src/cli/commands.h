// The list of subcommands; one file each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/flags.h"

namespace kw::cli {

Command judge_command();
Command optimize_command();
Command resume_command();
Command replay_command();
Command sweep_command();
Command task_command();
Command runs_command();
Command show_command();
Command compare_command();
Command export_command();
Command device_command();
Command doctor_command();

std::vector<Command> commands();

}  // namespace kw::cli
