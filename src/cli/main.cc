// kw: the program people run.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"
#include "cli/commands.h"
#include "cli/next_steps.h"

#include <cstdio>

int main(int argc, char** argv) {
  kw::show_output_safely();
  const int code = kw::cli::run_program(kw::cli::commands(), kw::cli::say_what_next, argc, argv);
  // If the output could not be written, the program must fail although the command succeeded, or
  // its reader would take an incomplete output for a complete one.
  const auto written = kw::finish_output();
  if (written) return code;
  std::fprintf(stderr, "kw: %s\n", describe(written.error()).c_str());
  return code == kw::cli::kDone ? kw::cli::kEnvironment : code;
}
