// Turns a Definition into workloads with concrete sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "task/definition.h"

namespace kw::task {

struct Resolved {
  std::vector<Workload> workloads;  ///< In the order of shapes.yaml: show, check, time.
  std::vector<SkippedWorkload> skipped;
};

/// Every workload for `target` whose tensors, at the task's types, have at most `max_bytes` in sum.
/// Others are skipped with the reason; so are the largest timed workloads while all timed ones
/// together, which are held at the same time, have too many. How many times the tensors' bytes a
/// machine must hold (input sets, truths) is the caller's knowledge.
Result<Resolved> resolve(const Definition& definition, Target target, std::int64_t max_bytes);

/// One workload, which need not be in the file (a sweep). Errors name the place in the task's
/// files: an overflow, a division by zero, a size below 1, a pitch below the row, a region outside.
Result<Workload> resolve(const Definition& definition, const WorkloadSpec& spec);

}  // namespace kw::task
