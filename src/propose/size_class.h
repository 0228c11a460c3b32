// Size classes: how large the timed workloads are, by powers of ten alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "task/definition.h"

namespace kw::propose {

/// One line for each size class among the timed workloads, in the order of the task: the bytes that
/// a call moves and that its tensors have, its operations and items, and every dim of a tensor or
/// argument. Each count is told as the powers of ten that it lies between, so that a writer can
/// decide about threads, streaming and tiles and cannot single out the shape that is timed; equal
/// lines are one. Workloads of other groups are passed over.
std::vector<std::string> describe_size_classes(const task::Definition& task,
                                               std::span<const Workload> workloads);

}  // namespace kw::propose
