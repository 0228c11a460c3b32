// Passes scalars by value and tensors by their place in mapped buffers.
// SPDX-License-Identifier: Apache-2.0
#include "referee/arguments.h"

#include <bit>

#include "base/result.h"

namespace kw::referee {

std::uint64_t image_of(const Scalar& scalar, Precision precision) {
  const auto narrow = static_cast<float>(scalar.real);
  switch (scalar.dtype) {
    case Dtype::F32:
      return precision == Precision::Double
                 ? std::bit_cast<std::uint64_t>(static_cast<double>(narrow))
                 : std::bit_cast<std::uint32_t>(narrow);
    case Dtype::F64:
      return std::bit_cast<std::uint64_t>(scalar.real);
    case Dtype::I32:
      return static_cast<std::uint32_t>(scalar.integer);
    case Dtype::I64:
      return static_cast<std::uint64_t>(scalar.integer);
    case Dtype::U8:
      return static_cast<std::uint8_t>(scalar.integer);
    case Dtype::F16:
    case Dtype::BF16:
      break;  // no scalar has these types: task/parse_task.cc
  }
  return 0;
}

std::vector<device::Argument> arguments_of(const Task& task, const Workload& workload,
                                           int first_buffer, Precision precision) {
  std::vector<device::Argument> arguments;
  arguments.reserve(task.signature.size());
  for (const Parameter& parameter : task.signature) {
    device::Argument argument;
    if (parameter.is_tensor) {
      const Tensor* tensor = workload.tensor(parameter.name);
      KW_ASSERT(tensor != nullptr);
      argument.buffer = first_buffer + static_cast<int>(tensor - workload.tensors.data());
    } else {
      const Scalar* scalar = workload.scalar(parameter.name);
      KW_ASSERT(scalar != nullptr);
      argument.scalar = image_of(*scalar, precision);
    }
    arguments.push_back(argument);
  }
  return arguments;
}

}  // namespace kw::referee
