// Inputs that a task's own code computes: what that code is called with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/task.h"

namespace kw {

/// Kind of the values of a tensor that the task's init.cpp fills.
inline constexpr const char* kCodedKind = "init";
/// BuildUnit::role of the task's init.cpp.
inline constexpr const char* kCodedRole = "init";
/// The first argument of the code: a tensor of one u64, the seed.
inline constexpr const char* kSeedArgument = "kw_seed";

/// Whether the task's init.cpp fills the tensor.
inline bool is_coded(const Tensor& tensor) { return tensor.values.kind == kCodedKind; }
/// Whether any input of the workload is filled by init.cpp.
bool has_coded_inputs(const Workload& workload);

/// The task with the arguments of its init.cpp: the seed, and then the arguments of the task's
/// function without pure outputs. All tensors may be written.
Task coded_task(Task task);
/// The workload with the tensors of coded_task(): the seed first, the others without the values
/// that they are drawn from.
Workload coded_workload(Workload workload);

}  // namespace kw
