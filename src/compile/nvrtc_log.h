// Reads the output of NVRTC and its assembler: diagnostics, and the resources of each kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"

namespace kw::compile {

/// What `ptxas -v` prints about one kernel; -1: not printed.
struct PtxasUsage {
  std::string symbol;
  int registers = -1;
  std::int64_t shared_bytes = 0;  ///< Static shared memory.
  std::int64_t stack_bytes = -1;
  std::int64_t spill_bytes = -1;  ///< Bytes stored and loaded for spilled registers.
};

struct NvrtcLog {
  std::vector<Diagnostic> diagnostics;
  std::vector<PtxasUsage> usage;
};

/// Name of the file whose line i + 2 takes the address of BuildUnit::kernels[i], so that nvcc
/// instantiates templates.
inline constexpr const char* kNamesFile = "kw_names.cu";

/// Reads a log. Foreign text: the work is bounded, and it never fails; lines that are not
/// recognised are left out. A kernel that a plan names and the source lacks becomes one diagnostic
/// about main_file that says so.
NvrtcLog parse_nvrtc_log(std::string_view log, const BuildUnit& unit);

}  // namespace kw::compile
