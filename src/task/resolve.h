// Evaluates a Definition to workloads with concrete sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "task/definition.h"

namespace kw::task {

struct Resolved {
  std::vector<Workload> workloads;  ///< Workloads in the order of shapes.yaml: show, check, time.
  std::vector<SkippedWorkload> skipped;
};

/// Every workload for `target` whose tensors have at most `max_bytes` in sum. Larger workloads are
/// skipped with the reason, and so are the largest timed workloads as long as all timed ones, which
/// are in memory at the same time, have too many bytes together. The caller must choose `max_bytes`
/// such that input sets and references fit into memory too.
Result<Resolved> resolve(const Definition& definition, Target target, std::int64_t max_bytes);

/// Resolves one workload, which need not be in shapes.yaml (kw sweep makes its own). Errors name
/// the place in the task's files: an overflow, a division by zero, a size below 1, a pitch below
/// the row length, a region outside the tensor.
Result<Workload> resolve(const Definition& definition, const WorkloadSpec& spec);

}  // namespace kw::task
