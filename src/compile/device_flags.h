// What NVRTC and nvcc are told alike, and what is made of a cubin that either wrote.
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
inline constexpr std::string_view kCuteStandard = "--std=c++17";  ///< What CUTLASS is tested with.

/// Options of device code, for messages: fast_math, and maxrregcount_N for some N.
std::span<const std::string> cuda_option_names();

/// The compilers' flag of a whitelisted option; empty if it is not one.
std::string device_flag(std::string_view option);

/// 90 of "sm_90a"; 0 if it is no architecture.
int architecture_number(std::string_view arch);

/// Whether options, dialect, architecture and names of kernels are such as can be compiled; else
/// the unit's fate, or an error where our own code is to blame.
Result<std::optional<CompileResult>> check_device_unit(const BuildUnit& unit);

/// There is no CUTLASS, and what to do about it (stop).
std::unexpected<Error> no_cutlass();

/// Keeps a cubin with what is known of its kernels: from the cubin, from the assembler's words, and
/// the name that a plan gives each of `symbols` (one for each of the unit's kernels). The findings
/// say what each kernel takes.
Result<CompileResult> keep_cubin(const platform::Path& objects, std::string_view bytes,
                                 std::span<const std::string> symbols, const NvrtcLog& log,
                                 const BuildUnit& unit);

/// Findings (kind "resource") about kernels: registers, spills, stack and shared memory, one
/// statement for each kernel, those that spill first.
std::vector<Finding> resource_findings(std::span<const KernelFacts> kernels);

}  // namespace kw::compile
