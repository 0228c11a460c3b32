// What a program prints, safe to look at: the one place that all of it passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

/// From now on everything that this process writes to stdout and stderr by stdio is shown as
/// sanitise() shows it, so that no name, message or source can command a terminal, whoever prints
/// it. JSON keeps its meaning, since the escapes within its strings are its own. Call once, first
/// in main(). Programs that it starts have descriptors of their own, which pass nothing.
void show_output_safely();

/// To standard error as it is: for the sequences by which this program rewrites a line of its own.
/// What was printed before comes before.
void write_to_terminal(std::string_view sequence);

}  // namespace kw
