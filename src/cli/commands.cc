// All subcommands in the order of the help.
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

namespace kw::cli {

std::vector<Command> commands() {
  return {optimize_command(), judge_command(), resume_command()};
}

}  // namespace kw::cli
