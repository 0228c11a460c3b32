// compute-sanitizer as a subprocess: its command line, what it prints, and whether its silence may
// be believed. Pure but for find_sanitizer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files.h"
#include "record/candidate.h"
#include "record/verdict.h"

namespace kw::profile {

/// Its tools, in the order in which a pass runs them.
enum class SanitizerTool { Memcheck, Racecheck, Initcheck, Synccheck };

/// Where it stands: KW_SANITIZER, PATH, the toolkit's folder. Nothing if nowhere.
std::optional<platform::Path> find_sanitizer();

/// The words before the program to be watched. Errors do not change the program's exit code: what
/// counts is what is printed into `log`.
std::vector<std::string> sanitizer_command(const platform::Path& sanitizer, SanitizerTool tool,
                                           const platform::Path& log);

struct SanitizerError {
  std::string what;    ///< "Invalid __global__ write of size 4 bytes".
  std::string kernel;  ///< "at" line: the function; may be empty.
  std::string detail;  ///< Thread, address and distance, as far as they were told.
};

struct SanitizerReport {
  bool is_complete = false;           ///< It printed its summary.
  long errors = 0;                    ///< By the summary, or the errors read where these are more.
  std::vector<SanitizerError> first;  ///< At most 16.
};

/// Foreign text: bounded, never fails.
SanitizerReport parse_sanitizer(std::string_view text);

/// A trusted kernel that writes one element past its buffer, for the positive control.
BuildUnit sanitizer_control(const std::string& arch);
/// Its kernel: void out_of_bounds(float* x, int n) writes x[n], in one block of one thread.
inline constexpr char kControlKernel[] = "out_of_bounds";

/// True if a memcheck of the control named its out-of-bounds write: else the pass is void.
bool is_control_caught(const SanitizerReport& control);

/// What a pass found, ranked. Without a caught control, or without a summary of the candidate's own
/// run, one note that says so and nothing else: silence then proves nothing.
std::vector<Finding> sanitizer_findings(SanitizerTool tool, const SanitizerReport& control,
                                        const SanitizerReport& candidate);

}  // namespace kw::profile

template <>
struct kw::EnumNames<kw::profile::SanitizerTool> {
  static constexpr std::array<std::string_view, 4> names{"memcheck", "racecheck", "initcheck",
                                                         "synccheck"};
};
