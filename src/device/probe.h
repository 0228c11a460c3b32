// Whether a device still computes correctly: a known computation on memory of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/device.h"

namespace kw::device {

inline constexpr std::int64_t kProbeElements = 1 << 18;

/// For Device::probe(): allocates two private buffers and computes on them. False is damage; too
/// little memory is an error that may pass, since it says nothing about the device. A few
/// milliseconds on a CPU; deterministic.
Result<bool> probe_by_computing(Device& device);

/// The computation: y = a x + 1 in `values` (4 bytes an element) against `truth` (8 bytes), which
/// must agree in every element, a wrong element that must be seen, and both values of every bit.
Result<bool> computes_correctly(BufferOps& ops, Buffer& values, Buffer& truth);

}  // namespace kw::device
