// Lists all subcommands in the order of the help.
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

namespace kw::cli {

std::vector<Command> commands() {
  return {optimize_command(), judge_command(),   verify_command(),     resume_command(),
          steer_command(),    replay_command(),  runs_command(),       show_command(),
          explain_command(),  compare_command(), report_command(),     export_command(),
          suite_command(),    sweep_command(),   specialise_command(), soak_command(),
          task_command(),     plan_command(),    device_command(),     doctor_command(),
          models_command(),   memory_command(),  graph_command(),      prompt_command(),
          estimate_command()};
}

}  // namespace kw::cli
