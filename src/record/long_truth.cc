// Looks at the gate and the outputs of a task.
// SPDX-License-Identifier: Apache-2.0
#include "record/long_truth.h"

#include <algorithm>

namespace kw {

bool has_long_truth(const Task& task) {
  return task.gate.kind != GateKind::Exact &&
         std::ranges::any_of(task.signature, [](const Parameter& p) {
           return p.is_tensor && p.role != TensorRole::In && p.dtype == Dtype::F64;
         });
}

}  // namespace kw
