// What kw without a command says: five lines of what to do next on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "record/attempt.h"

namespace kw::cli {

/// What the lines depend on.
struct Standpoint {
  std::string why_no_cpu;              ///< Why nothing can be compiled here; empty: it can.
  std::string gpu;                     ///< Its model; empty: there is none that can be used.
  std::string why_no_cuda;             ///< Why kernels for it cannot be compiled; empty: they can.
  std::string key;                     ///< Variable of a model's key that is set; empty: none is.
  std::vector<RunSummary> runs;        ///< Of this workspace, oldest first.
  std::vector<std::string> own_tasks;  ///< Folders of tasks in this workspace.
};

struct NextStep {
  std::string command;
  std::string why;
};

/// Always five.
std::vector<NextStep> next_steps(const Standpoint& here);

/// Looks at the machine, which starts a worker for a moment, and prints the steps; the object
/// {"next": […]} for --json. Changes nothing in the workspace.
int say_what_next(const Global& global);

}  // namespace kw::cli
