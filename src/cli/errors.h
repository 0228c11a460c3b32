// How commands report errors and end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

/// Reports an error as `kw: message` on standard error, or as an object with `error` on standard
/// output, and returns its exit code: kInterrupted if a signal interrupted the command.
int report_error(const Global& global, const Error& error, ExitCode code);

/// The exit code of an error: 2 if the user's input caused it, else 3.
ExitCode code_of(const Error& error);

/// The exit code of a command that succeeded, or report_error() of the error that ended it.
int end_command(const Global& global, const Result<int>& code);

}  // namespace kw::cli
