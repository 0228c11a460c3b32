// Profiles a correct candidate and runs it under a sanitizer, each in runs of their own that change
// no verdict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/ncu.h"
#include "profile/tool.h"
#include "record/evaluation.h"

namespace kw::profile {

/// The candidate and workload to be profiled or sanitized. Borrowed for the call.
struct InspectedUnit {
  const BuildUnit* unit = nullptr;  ///< The candidate's unit, built.
  const Workload* workload = nullptr;
  const kw::Plan* plan = nullptr;
};

/// How tools are used; tests replace them.
struct Tools {
  NcuPermission (*permission)() = ncu_permission;
  platform::Nanoseconds profile_timeout = std::chrono::seconds(60);
  platform::Nanoseconds sanitize_timeout = std::chrono::seconds(60);  ///< Bound for each tool.
};

/// Times each launch of the plan in a run of the specimen alone; then, where ncu is installed and
/// the driver permits it, reads counters of one launch of each kernel at each geometry (the middle
/// one of its launches) in another run. Never fails: what was not done stands in the note. Takes
/// seconds; the caller holds the device alone.
WorkloadProfile profile_workload(const SpecimenRoom& room, const InspectedUnit& inspected,
                                 const Tools& tools = {});

/// The findings that a profile gives, ranked; its note comes last.
std::vector<Finding> profile_findings(const WorkloadProfile& profile, const Workload& workload,
                                      const DeviceFacts& device);

struct Sanitized {
  std::vector<SanitizerPass> passes;  ///< One for each tool; none without compute-sanitizer.
  std::vector<Finding> findings;
};

/// Runs the candidate under each tool of the sanitizer, and in the same run a kernel of ours with a
/// known defect, which shows whether the tool works. Never fails. Takes seconds to minutes.
Sanitized sanitize_workload(const SpecimenRoom& room, const InspectedUnit& inspected,
                            const Tools& tools = {});

}  // namespace kw::profile
