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
#include "record/wording.h"

namespace kw::profile {

/// The tools, each of which makes one pass: it runs the candidate once, ten to a hundred times
/// slower than alone.
enum class SanitizerTool { Memcheck, Racecheck, Initcheck, Synccheck };

/// The path of compute-sanitizer, looked for in KW_SANITIZER, PATH and the toolkit's folder;
/// nothing if it is in none.
std::optional<platform::Path> find_sanitizer();

/// The command line of compute-sanitizer before that of the program to be watched; errors come on
/// standard output. A wrong access ends its kernel and not the context, so that later kernels are
/// watched as well. Errors do not change the program's exit code.
std::vector<std::string> sanitizer_command(const platform::Path& sanitizer, SanitizerTool tool);

struct SanitizerError {
  std::string what;    ///< "Invalid __global__ write of size 4 bytes".
  std::string kernel;  ///< "softmax(float *, int)"; may be empty.
  std::string file;    ///< The file of the first access, without folders; empty: not told.
  int line = 0;        ///< The line of the first access, from 1.
  std::string detail;  ///< Thread, address and distance, as far as they were told.
};

struct SanitizerReport {
  bool is_complete = false;           ///< The tool printed its summary.
  bool control_caught = false;        ///< The tool saw the defect of sanitizer_control().
  long errors = 0;                    ///< Least number of errors in the candidate's kernels.
  std::vector<SanitizerError> first;  ///< The candidate's first errors, at most 16.
  Wording complaint;                  ///< "Error: …" of the tool's own; empty if it had none.
};

/// Reads what compute-sanitizer printed. Foreign text: bounded, never fails. Errors in kernels
/// whose names begin with kw_ are those of our own kernels.
SanitizerReport parse_sanitizer(std::string_view text);

/// Trusted kernels, each with a defect that one tool must report: the positive control.
BuildUnit sanitizer_control(const std::string& arch);
/// Name of the control's kernel for a tool: void (float* x, const float* raw), see cuda/control.cu.
std::string control_kernel(SanitizerTool tool);

/// The result of one tool's pass. A pass in which the tool did not report the control's defect is
/// void, because its silence proves nothing. Errors of the candidate count all the same, because
/// they show that the tool works.
SanitizerPass pass_of(SanitizerTool tool, const std::string& workload,
                      const SanitizerReport& report);

/// Findings of one pass, ranked, with the line of the candidate's source where the tool names it. A
/// void pass gives one note that says so; a pass that found nothing gives no finding. `unit` may be
/// null.
std::vector<Finding> sanitizer_findings(const SanitizerPass& pass, const SanitizerReport& report,
                                        const BuildUnit* unit);

}  // namespace kw::profile

template <>
struct kw::EnumNames<kw::profile::SanitizerTool> {
  static constexpr std::array<std::string_view, 4> names{"memcheck", "racecheck", "initcheck",
                                                         "synccheck"};
};
