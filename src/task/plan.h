// From the launch plan of a .cu file to the steps of one workload: everything evaluated, every
// limit checked (docs/launch-plan.md).
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

/// What a plan is resolved for. All references are borrowed.
struct PlanSite {
  const Definition& definition;
  const Workload& workload;
  const GpuFacts& gpu;
  /// The most bytes of all workspaces together.
  std::int64_t most_workspace_bytes = kDefaultWorkspaceBytes;
};

/// The plan at a valid point of the knobs. The fault is (launch, out_of_resources) where the device
/// or the task gives less than the plan asks for, else (screen, rejected). Its place is in
/// `source`, and it hides figures of workloads of group check. Pure; costs microseconds per step.
std::expected<Plan, PlanFault> resolve_plan(const CandidateHeader& header, std::string_view source,
                                            std::string_view file, const KnobPoint& point,
                                            const PlanSite& site);

/// The plans of one role's unit, one for each workload, in order. In the roles reference_fast and
/// magnitude_fast all real tensors and scalars are float64 copies, and workspaces are not limited
/// by the task. The first workload whose plan fails ends the work.
std::expected<std::vector<RolePlan>, PlanFault> candidate_plans(const Definition& definition,
                                                                const Candidate& candidate,
                                                                std::string_view role,
                                                                std::span<const Workload> workloads,
                                                                const GpuFacts& gpu);

/// Every kernel that the plan may launch on this architecture at this point of the knobs, for any
/// workload, spelled like PlanStep::kernel; sorted, each once.
std::expected<std::vector<std::string>, Diagnostics> kernel_names(const CandidateHeader& header,
                                                                  std::string_view source,
                                                                  std::string_view file,
                                                                  const KnobPoint& point,
                                                                  std::string_view arch);

}  // namespace kw::task
