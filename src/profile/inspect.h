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

/// What is looked at. Borrowed for the call.
struct Subject {
  const BuildUnit* unit = nullptr;  ///< The candidate's, built.
  const Workload* workload = nullptr;
  const kw::Plan* plan = nullptr;
};

/// How tools are used; tests put their own in.
struct Tools {
  NcuPermission (*permission)() = ncu_permission;
  platform::Nanoseconds profile_timeout = std::chrono::seconds(60);
  platform::Nanoseconds sanitize_timeout = std::chrono::seconds(60);  ///< Of each tool.
};

/// Time of each launch of the plan from a run of the specimen alone; then, where ncu is there and
/// the driver lets it, counters of one launch of each kernel at each geometry (the middle one of
/// its launches) from another. Never fails: what was not done stands in the note. Seconds; the
/// caller holds the device alone.
WorkloadProfile profile_workload(const SpecimenRoom& room, const Subject& subject,
                                 const Tools& tools = {});

/// What a profile tells the proposer, ranked; its note comes last.
std::vector<Finding> profile_findings(const WorkloadProfile& profile, const Workload& workload,
                                      const DeviceFacts& device);

struct Sanitized {
  std::vector<SanitizerPass> passes;  ///< One per tool; none where there is no compute-sanitizer.
  std::vector<Finding> findings;
};

/// One pass per tool, each with a control of ours in the same run. Never fails. Seconds to minutes.
Sanitized sanitize_workload(const SpecimenRoom& room, const Subject& subject,
                            const Tools& tools = {});

}  // namespace kw::profile
