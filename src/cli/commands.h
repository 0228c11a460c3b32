// The list of subcommands; each is defined in a file of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

Command judge_command();
Command verify_command();
Command optimize_command();
Command resume_command();
Command replay_command();
Command suite_command();
Command sweep_command();
Command specialise_command();
Command soak_command();
Command steer_command();
Command explain_command();
Command task_command();
Command plan_command();
Command runs_command();
Command show_command();
Command compare_command();
Command export_command();
Command report_command();
Command device_command();
Command doctor_command();
Command models_command();
Command memory_command();
Command graph_command();
Command prompt_command();
Command estimate_command();

std::vector<Command> commands();

}  // namespace kw::cli
