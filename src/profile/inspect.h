// Looking at a correct candidate from outside: profile and sanitizer, each in runs of their own
// that decide nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/ncu.h"
#include "profile/tool.h"
#include "record/evaluation.h"

namespace kw::profile {

/// The candidate and workload that are looked at. Borrowed for the call.
struct Subject {
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

/// Time of each launch of the plan from a run of the specimen alone; then, where ncu is there and
/// the driver lets it, counters of one launch of each kernel at each geometry (the middle one of
/// its launches) from another. Never fails: what was not done stands in the note. Seconds; the
/// caller holds the device alone.
WorkloadProfile profile_workload(const SpecimenRoom& room, const Subject& subject,
                                 const Tools& tools = {});

/// The findings that a profile gives, ranked; its note comes last.
std::vector<Finding> profile_findings(const WorkloadProfile& profile, const Workload& workload,
                                      const DeviceFacts& device);

struct Sanitized {
  std::vector<SanitizerPass> passes;  ///< One for each tool; none without compute-sanitizer.
  std::vector<Finding> findings;
};

/// Makes a pass with each tool, with a control of ours in the same run. Never fails. Takes seconds
/// to minutes.
Sanitized sanitize_workload(const SpecimenRoom& room, const Subject& subject,
                            const Tools& tools = {});

}  // namespace kw::profile
