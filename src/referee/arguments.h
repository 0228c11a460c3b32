// Argument lists of the task's function: addresses inside mapped buffers and images of scalars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/player.h"
#include "record/task.h"

namespace kw::referee {

/// What the callee's real type is.
enum class Precision {
  Native,  ///< As the task declares.
  Double,  ///< Every real tensor and scalar is float64: the truth.
};

/// Little-endian image of the scalar as it is passed. At Double the value is first rounded to the
/// declared type, because that is what candidates are given.
std::uint64_t image_of(const Scalar& scalar, Precision precision);

/// Arguments in signature order; tensor i of the workload is buffer `first_buffer + i` of the
/// player. Precondition: every name of the signature is a tensor or a scalar of the workload.
std::vector<device::Argument> arguments_of(const Task& task, const Workload& workload,
                                           int first_buffer, Precision precision);

}  // namespace kw::referee
