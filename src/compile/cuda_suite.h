// All that this machine has for units of target cuda, as one compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "compile/cuda_compiler.h"

namespace kw::compile {

/// Device code by NVRTC, or by nvcc where there is no NVRTC, which its identity then says; host
/// launchers by nvcc. Error (stop): neither is there, in words that say how to get NVRTC. A host
/// launcher without nvcc is an error of its build.
Result<std::unique_ptr<Compiler>> open_cuda_suite(CudaCompilerSettings settings);

}  // namespace kw::compile
