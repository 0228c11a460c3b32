// All compilers of this machine for units of target cuda, as one compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "compile/cuda_compiler.h"

namespace kw::compile {

/// A compiler for this machine: device code is built by NVRTC, or by nvcc where there is no NVRTC
/// (the identity says which), and host launchers by nvcc. Without either there is an error (advice:
/// stop) that says how to get NVRTC. Without nvcc, building a host launcher is an error.
Result<std::unique_ptr<Compiler>> open_cuda_suite(CudaCompilerSettings settings);

}  // namespace kw::compile
