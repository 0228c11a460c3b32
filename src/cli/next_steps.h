// The output of kw without a command: five lines about what to do next on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "session/standpoint.h"

namespace kw::cli {

using session::Standpoint;

struct SuggestedCommand {
  std::string command;
  std::string why;
};

/// The suggested commands, always five.
std::vector<SuggestedCommand> next_steps(const Standpoint& here);

/// Examines the machine, which starts a worker for a moment, and prints five suggested commands, or
/// the object {"next": […]} for --json. Changes nothing in the workspace.
int say_what_next(const Global& global);

}  // namespace kw::cli
