// All compilers of this machine for units of target cuda, as one compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "compile/cuda_compiler.h"

namespace kw::compile {

/// Compilers of target cuda by the names that the rows of its dialects give: "nvrtc", "nvcc".
using CudaCompilers = std::map<std::string_view, std::unique_ptr<Compiler>>;

/// One compiler of these: each unit goes to the compiler that its dialect's row names. Where there
/// is no NVRTC, nvcc builds device code; where there is no nvcc, building a host launcher is an
/// error (give up). At least one is there.
std::unique_ptr<Compiler> make_cuda_suite(CudaCompilers compilers);

/// A compiler for this machine: device code is built by NVRTC, or by nvcc where there is no NVRTC
/// (the identity says which), and host launchers by nvcc. Without either there is an error (advice:
/// stop) that says how to get NVRTC. Without nvcc, building a host launcher is an error.
Result<std::unique_ptr<Compiler>> open_cuda_suite(CudaCompilerSettings settings);

}  // namespace kw::compile
