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
    default:
      break;
  }
  // No scalar is of a half type: task/parse_task.cc.
  const std::size_t bits = 8 * size_of(scalar.dtype);
  const auto image = static_cast<std::uint64_t>(scalar.integer);
  return bits == 64 ? image : image & ((std::uint64_t{1} << bits) - 1);
}

std::vector<device::Argument> arguments_of(const Task& task, const Workload& workload,
                                           int first_buffer, Precision precision) {
  std::vector<device::Argument> arguments;
  std::vector<device::Argument> extents;
  for (const Parameter& parameter : task.signature) {
    device::Argument argument;
    if (parameter.is_tensor) {
      const Tensor* tensor = workload.tensor(parameter.name);
      KW_ASSERT(tensor != nullptr);
      argument.buffer = first_buffer + static_cast<int>(tensor - workload.tensors.data());
      extents.push_back({.scalar = static_cast<std::uint64_t>(tensor->extent())});
    } else {
      const Scalar* scalar = workload.scalar(parameter.name);
      KW_ASSERT(scalar != nullptr);
      argument.scalar = image_of(*scalar, precision);
    }
    arguments.push_back(argument);
  }
  if (precision == Precision::Double)
    arguments.insert(arguments.end(), extents.begin(), extents.end());
  return arguments;
}

}  // namespace kw::referee
