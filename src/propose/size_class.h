// Size classes: describe the size of the timed workloads by powers of ten, without exact values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "task/definition.h"

namespace kw::propose {

/// Returns one line for each size class of the timed workloads, in the order of the task: bytes
/// that a call moves, bytes of the tensors, operations, items, every dim of a tensor or argument,
/// and whether rows begin at whole vectors. Each count is given as the two powers of ten that
/// enclose it, so that a writer can decide about threads, streaming and tiles but cannot specialise
/// for the timed shape; a dim that is below ten in every workload of the task (a window, a stride)
/// is given exactly, since it decides which algorithm applies. Equal lines are merged. Workloads of
/// other groups are ignored.
std::vector<std::string> describe_size_classes(const task::Definition& task,
                                               std::span<const Workload> workloads);

/// A line for each timed workload of the target that is not among `workloads`, because its tensors
/// are too large for the memory: its class, and why it is left out. Error: a size of the task that
/// cannot be resolved.
Result<std::vector<std::string>> describe_left_out(const task::Definition& task, Target target,
                                                   std::span<const Workload> workloads);

}  // namespace kw::propose
