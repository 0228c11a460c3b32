// The output of kw without a command: five lines about what to do next on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "record/attempt.h"

namespace kw::cli {

/// The facts about machine and workspace from which the five lines are chosen.
struct Standpoint {
  std::string why_no_cpu;   ///< Why nothing can be compiled here; empty: compiling works.
  std::string gpu;          ///< Model of the GPU; empty: no usable GPU.
  std::string why_no_cuda;  ///< Why kernels cannot be compiled for the GPU; empty: they can.
  std::string key;  ///< The environment variable that holds a model's key; empty: none is set.
  std::vector<RunSummary> runs;        ///< Runs of this workspace, oldest first.
  std::vector<std::string> own_tasks;  ///< Folders of tasks in this workspace.
};

struct NextStep {
  std::string command;
  std::string why;
};

/// The suggested commands, always five.
std::vector<NextStep> next_steps(const Standpoint& here);

/// Examines the machine, which starts a worker for a moment, and prints five suggested commands, or
/// the object {"next": […]} for --json. Changes nothing in the workspace.
int say_what_next(const Global& global);

}  // namespace kw::cli
