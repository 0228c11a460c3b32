// Resolves the launch plan of a .cu file to the steps for one workload: evaluates all expressions
// and checks all limits (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/device.h"
#include "record/evaluation.h"
#include "record/plan.h"
#include "task/definition.h"
#include "task/device_names.h"
#include "task/header.h"

namespace kw::task {

/// The task, workload and GPU for which a launch plan is resolved. All references are borrowed.
struct PlanSite {
  const Definition& definition;
  const Workload& workload;
  const GpuFacts& gpu;
  /// The most bytes that all workspaces of the plan may have together.
  std::int64_t most_workspace_bytes = kDefaultWorkspaceBytes;
};

/// Resolves the launch plan at a valid point of the knobs. The fault is (launch, out_of_resources)
/// if the plan exceeds a limit of the device or the task, else (screen, rejected). The fault names
/// a place in `source`, and hides the sizes of workloads of group check. No side effects; costs
/// microseconds per step.
std::expected<Plan, PlanFault> resolve_plan(const CandidateHeader& header, std::string_view source,
                                            std::string_view file, const KnobPoint& point,
                                            const PlanSite& site);

/// Resolves the launch plan of a candidate, reference or magnitude (`role`) for each workload, in
/// order. For the roles reference_fast and magnitude_fast all real tensors and scalars are float64
/// copies, and the task does not limit workspaces. Stops at the first workload that fails.
std::expected<std::vector<RolePlan>, PlanFault> candidate_plans(const Definition& definition,
                                                                const Candidate& candidate,
                                                                std::string_view role,
                                                                std::span<const Workload> workloads,
                                                                const GpuFacts& gpu);

/// Every kernel that the launch plan may launch on this architecture at this point of the knobs,
/// for any workload, spelled like PlanStep::kernel; sorted, without repetitions.
std::expected<std::vector<std::string>, Diagnostics> kernel_names(const CandidateHeader& header,
                                                                  std::string_view source,
                                                                  std::string_view file,
                                                                  const KnobPoint& point,
                                                                  std::string_view arch);

}  // namespace kw::task
