// Argument lists of the task's function: addresses inside mapped buffers and images of scalars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/player.h"
#include "record/task.h"

namespace kw::referee {

/// The real type that the called function computes with.
enum class Precision {
  Native,  ///< The types that the task declares.
  Double,  ///< Every real tensor and scalar is float64, as for the truth.
};

/// Little-endian image of the scalar as a call passes it. At Double the value is first rounded to
/// the declared type, because candidates get the rounded value.
std::uint64_t image_of(const Scalar& scalar, Precision precision);

/// Arguments in signature order; tensor i of the workload is buffer `first_buffer + i` of the
/// player. At Double the extents of the signature's tensors follow, as task::with_extents() has
/// them; a reference that takes no extents leaves them aside. Precondition: every name of the
/// signature is a tensor or a scalar of the workload.
std::vector<device::Argument> arguments_of(const Task& task, const Workload& workload,
                                           int first_buffer, Precision precision);

}  // namespace kw::referee
