// compute-sanitizer as a subprocess: its command line, what it prints, and the kernels of ours with
// known defects that show whether it works at all. Pure but for find_sanitizer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files.h"
#include "record/candidate.h"
#include "record/evaluation.h"
#include "record/verdict.h"

namespace kw::profile {

/// The tools, each of which makes one pass: it runs the candidate once, ten to a hundred times
/// slower than alone.
enum class SanitizerTool { Memcheck, Racecheck, Initcheck, Synccheck };

/// The path of compute-sanitizer, looked for in KW_SANITIZER, PATH and the toolkit's folder;
/// nothing if it is in none.
std::optional<platform::Path> find_sanitizer();

/// The words before the program to be watched; errors come on standard output. A wrong access ends
/// its kernel and not the context, so that what runs after it is watched as well. Errors do not
/// change the program's exit code.
std::vector<std::string> sanitizer_command(const platform::Path& sanitizer, SanitizerTool tool);

struct SanitizerError {
  std::string what;    ///< "Invalid __global__ write of size 4 bytes".
  std::string kernel;  ///< "softmax(float *, int)"; may be empty.
  std::string file;    ///< The file of the first access, without folders; empty: not told.
  int line = 0;        ///< The line of that access, from 1.
  std::string detail;  ///< Thread, address and distance, as far as they were told.
};

struct SanitizerReport {
  bool is_complete = false;           ///< The tool printed its summary.
  bool control_caught = false;        ///< The tool saw the defect of sanitizer_control().
  long errors = 0;                    ///< Errors in the candidate's kernels, at least.
  std::vector<SanitizerError> first;  ///< The first of these errors, at most 16.
  std::string complaint;              ///< "Error: …" of the tool's own; empty if it had none.
};

/// Foreign text: bounded, never fails. Errors in kernels whose names begin with kw_ are ours.
SanitizerReport parse_sanitizer(std::string_view text);

/// Trusted kernels, each with a defect: the positive control.
BuildUnit sanitizer_control(const std::string& arch);
/// Its kernel for a tool: void (float* x, const float* raw), see cuda/control.cu.
std::string control_kernel(SanitizerTool tool);

/// What a pass came to. Without a caught control in the same run it is void: silence then proves
/// nothing. Errors of the candidate count all the same, for then the tool does work.
SanitizerPass pass_of(SanitizerTool tool, const std::string& workload,
                      const SanitizerReport& report);

/// What a pass found, ranked, with the line of the candidate's source where the tool names it; a
/// void pass is one note that says so, and one that found nothing says nothing. `unit` may be null.
std::vector<Finding> sanitizer_findings(const SanitizerPass& pass, const SanitizerReport& report,
                                        const BuildUnit* unit);

}  // namespace kw::profile

template <>
struct kw::EnumNames<kw::profile::SanitizerTool> {
  static constexpr std::array<std::string_view, 4> names{"memcheck", "racecheck", "initcheck",
                                                         "synccheck"};
};
