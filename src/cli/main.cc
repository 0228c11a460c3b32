// kw: the program people run.
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

int main(int argc, char** argv) { return kw::cli::run_program(kw::cli::commands(), argc, argv); }
