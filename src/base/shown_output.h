// Safe printing: everything that the program prints passes the filter declared here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw {

/// From now on, everything that this process writes to stdout and stderr by stdio is shown as
/// sanitise() shows it, so that no name, message or source can command a terminal. A terminal whose
/// locale is not UTF-8 gets in_ascii(). JSON keeps its meaning, since the escapes are those of JSON
/// strings. Call once, first in main(). Child processes write to their own descriptors, which are
/// not filtered.
void show_output_safely();

/// Declares standard output a document for programs: UTF-8 even on a terminal that cannot show it.
void keep_output_as_utf8();

/// A line that this program composed: its bytes, which may include colour sequences, and the
/// columns that it takes. Foreign text in it must have been sanitised.
struct OwnLine {
  std::string bytes;
  std::size_t columns = 0;
};

/// Shows a line at the bottom of the terminal at standard error, in place of the last one; printed
/// text goes above it. An empty line removes it. The line must fit the terminal. Callable from any
/// thread; does nothing where standard error is no terminal or is in the middle of a line.
void show_status(const OwnLine& line);

/// Prints a permanent line to standard error.
void print_own(const OwnLine& line);

/// Writes what is still buffered. Error (stop): some output to standard output was lost; the error
/// gives the reason of the first failure. Call once, last in main().
Result<> finish_output();

}  // namespace kw
