// The list of subcommands; one file each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

Command judge_command();
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

/// Bytes of the prompt that a run on a task would send first.
using PromptSizer =
    std::function<Result<std::size_t>(const Global& global, const std::string& task)>;
/// Without a sizer the task's own texts are counted and a usual frame around them.
Command estimate_command(PromptSizer sizer = {});
/// The sizer that builds the prompt.
Result<std::size_t> first_prompt_bytes(const Global& global, const std::string& task);

std::vector<Command> commands();

}  // namespace kw::cli
