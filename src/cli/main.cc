// kw: the program people run.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"
#include "cli/commands.h"
#include "cli/next_steps.h"

int main(int argc, char** argv) {
  kw::show_output_safely();
  return kw::cli::run_program(kw::cli::commands(), kw::cli::say_what_next, argc, argv);
}
