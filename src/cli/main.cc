// kw: the program people run.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  kw::show_output_safely();
  return kw::cli::run_program(kw::cli::commands(), argc, argv);
}
