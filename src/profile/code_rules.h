// Rules over a GPU candidate's machine code. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "compile/sass.h"
#include "record/evaluation.h"
#include "record/verdict.h"

namespace kw::profile {

/// Findings of kind "machine_code", most important first with ranks 1, 2, …, of the kernels that
/// the candidate's plans launch, looking at each one's hottest loop (all of a kernel
/// without loops):
///   - local memory in the loop: spilled registers, or arrays that are indexed by variables;
///   - loads or stores of global memory of which none is wider than 4 bytes (a warp then needs four
///     times the instructions and, with as many in flight, moves a quarter: CUDA C++ Best Practices
///     Guide, "Vectorized Memory Access");
///   - no tensor instruction in a `dot` task of f16 or bf16, and mma.sync on sm_90a, where wgmma
///     alone feeds the matrix units at their full rate (CUTLASS, "Efficient GEMM");
///   - the share of fused multiply-adds, where they are the work: what else the loop issues;
///   - special functions and barriers that are a large part of a loop.
/// Last comes a line of figures for each kernel.
std::vector<Finding> code_findings(std::span<const compile::KernelCode> kernels,
                                   const EvaluationRequest& request);

}  // namespace kw::profile
