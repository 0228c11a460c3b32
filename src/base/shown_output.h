// What a program prints, safe to look at: the one place that all of it passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw {

/// From now on everything that this process writes to stdout and stderr by stdio is shown as
/// sanitise() shows it, so that no name, message or source can command a terminal, whoever prints
/// it; a terminal of a locale without UTF-8 gets in_ascii(). JSON keeps its meaning, since the
/// escapes within its strings are its own. Call once, first in main(). Programs that it starts have
/// descriptors of their own, which pass nothing.
void show_output_safely();

/// Standard output is a document for programs: UTF-8 even on a terminal that does not know it.
void keep_output_as_utf8();

/// A line of this program's own: its bytes, which may hold sequences that colour it, and the
/// columns that it takes. What is foreign in it must have been sanitised.
struct OwnLine {
  std::string bytes;
  std::size_t columns = 0;
};

/// A line at the bottom of the terminal at standard error, in place of the last one; whatever is
/// printed goes above it. Empty: none. It must fit the terminal. From any thread; nothing where
/// standard error is no terminal, or where a line that was begun there has not ended.
void show_status(const OwnLine& line);

/// A line that stays, to standard error.
void print_own(const OwnLine& line);

/// Writes what still waits. Error (stop): some of what was printed to standard output was lost, and
/// why the first of it could not be written. Call once, last in main().
Result<> finish_output();

}  // namespace kw
