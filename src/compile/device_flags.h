// Flags that NVRTC and nvcc share, and the reading of the cubins that they write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/build.h"
#include "compile/nvrtc_log.h"

namespace kw::compile {

inline constexpr std::string_view kDeviceStandard = "--std=c++20";
/// The C++ standard with which CUTLASS is tested.
inline constexpr std::string_view kCuteStandard = "--std=c++17";

/// Names of the options for device code, for use in messages: fast_math, and maxrregcount_N for
/// some N.
std::span<const std::string> cuda_option_names();

/// The compiler's flag for a whitelisted option; empty if the option is not whitelisted.
std::string device_flag(std::string_view option);

/// Number of an architecture: 90 for "sm_90a"; 0 if the text is no architecture.
int architecture_number(std::string_view arch);

/// Checks that options, dialect, architecture and names of kernels can be compiled. Returns nothing
/// if they can, else the result that refuses the unit. It is an error if our own code is at fault.
Result<std::optional<CompileResult>> check_device_unit(const BuildUnit& unit);

/// The error (advice: stop) that says that CUTLASS is missing and how to get it.
std::unexpected<Error> no_cutlass();

/// Stores a cubin together with facts about its kernels, read from the cubin and from the
/// assembler's output. Each of `symbols`, one per kernel of the unit, is stored with the name by
/// which the plan launches the kernel. The result's findings list the resources of each kernel.
Result<CompileResult> keep_cubin(const platform::Path& objects, std::string_view bytes,
                                 std::span<const std::string> symbols, const NvrtcLog& log,
                                 const BuildUnit& unit);

/// Findings (kind "resource") on registers, spills, stack and shared memory, one for each kernel;
/// kernels that spill come first. Finding::about is "spill", "stack" (of local memory) or "fits".
std::vector<Finding> resource_findings(std::span<const KernelFacts> kernels);

}  // namespace kw::compile
