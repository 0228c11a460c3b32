// Reads the output of NVRTC and its assembler: diagnostics, and the resources of each kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"

namespace kw::compile {

/// What `ptxas -v` prints about one kernel; -1 where it prints nothing.
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

/// Reads a log of NVRTC or nvcc. The text is not trusted: the work is bounded, no text is an error,
/// and unknown lines are left out. If a plan launches a kernel that the source lacks, the errors
/// about it become one diagnostic about main_file.
NvrtcLog parse_nvrtc_log(std::string_view log, const BuildUnit& unit);

}  // namespace kw::compile
