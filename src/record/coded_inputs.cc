// Puts a seed in front of a task's arguments, and leaves out what is no input.
// SPDX-License-Identifier: Apache-2.0
#include "record/coded_inputs.h"

#include <algorithm>

namespace kw {

bool has_coded_inputs(const Workload& workload) {
  return std::ranges::any_of(workload.tensors, is_coded);
}

Task coded_task(Task task) {
  std::erase_if(task.signature, [](const Parameter& parameter) {
    return parameter.is_tensor && parameter.role == TensorRole::Out;
  });
  for (Parameter& parameter : task.signature)
    if (parameter.is_tensor) parameter.role = TensorRole::InOut;
  task.signature.insert(
      task.signature.begin(),
      {.name = kSeedArgument, .is_tensor = true, .dtype = Dtype::U64, .role = TensorRole::In});
  return task;
}

Workload coded_workload(Workload workload) {
  std::erase_if(workload.tensors,
                [](const Tensor& tensor) { return tensor.role == TensorRole::Out; });
  for (Tensor& tensor : workload.tensors) {
    tensor.values = Values{};
    tensor.values.kind = "zero";
  }
  Tensor seed;
  seed.name = kSeedArgument;
  seed.dtype = Dtype::U64;
  seed.values.kind = "zero";
  seed.sizes = {1};
  seed.pitch = 1;
  workload.tensors.insert(workload.tensors.begin(), std::move(seed));
  return workload;
}

}  // namespace kw
