// Reads what NVRTC and its assembler print: diagnostics, and what each kernel uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/diagnostics.h"

namespace kw::compile {

/// Lines of `ptxas -v` about one kernel; -1: not said.
struct PtxasUsage {
  std::string symbol;
  int registers = -1;
  std::int64_t shared_bytes = 0;  ///< Static.
  std::int64_t stack_bytes = -1;
  std::int64_t spill_bytes = -1;  ///< Stores and loads.
};

struct NvrtcLog {
  std::vector<Diagnostic> diagnostics;
  std::vector<PtxasUsage> usage;
};

/// The file that takes the address of BuildUnit::kernels' i-th on line i + 2, so that nvcc makes
/// instances of templates.
inline constexpr const char* kNamesFile = "kw_names.cu";

/// Foreign text: bounded work, never fails; what is not recognised is left out. A kernel that a
/// plan names and the source lacks becomes one diagnostic about main_file that says so.
NvrtcLog parse_nvrtc_log(std::string_view log, const BuildUnit& unit);

}  // namespace kw::compile
