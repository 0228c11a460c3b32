// Rules over what a GPU candidate's kernels use and how its plans launch them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/device.h"
#include "record/evaluation.h"
#include "record/plan.h"
#include "record/verdict.h"

namespace kw::profile {

/// One kernel at the geometry of its largest launch, and how many launches a plan makes of it.
struct LaunchedKernel {
  std::string name;
  std::string workload;           ///< The workload of the largest launch.
  std::int64_t blocks = 0;        ///< Blocks of the largest launch, over all three dimensions.
  int threads = 0;                ///< Threads of a block.
  std::int64_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
  int launches = 0;               ///< How often the workload's plan launches the kernel.
};

/// The plans of a role for timed workloads: kernels that only small check shapes launch are worth
/// no finding.
std::vector<RolePlan> timed_plans(const EvaluationRequest& request,
                                  std::string_view role = "candidate");

/// The candidate's kernels in the order in which plans first launch them.
std::vector<LaunchedKernel> launched_kernels(std::span<const RolePlan> plans,
                                             std::string_view role = "candidate");

/// Findings of kind "resource" about launches, most important first within their ranks 1, 2, …;
/// registers and spills of the kernels themselves stand in the compiler's findings:
///   - occupancy at most 0.4 with at least 96 registers per thread (the thresholds by which CuTeGen
///     suspects register pressure), or held down by shared memory or the size of blocks;
///   - grids smaller than the GPU, and last waves that leave a fifth of all places empty or more
///     (as Nsight Compute's rule on tail effects) while there are at most four waves;
///   - blocks whose threads are no multiple of 32 (CUDA C++ Best Practices Guide, "Thread and Block
///     Heuristics").
/// Kernels without facts, and GPUs that the table of multiprocessors lacks, are passed over.
std::vector<Finding> kernel_findings(const BuildUnit& unit, std::span<const RolePlan> plans,
                                     const GpuFacts& gpu);

}  // namespace kw::profile
