// Tests whether a device still computes correctly, by a known computation on separate memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/device.h"

namespace kw::device {

inline constexpr std::int64_t kProbeElements = 1 << 18;

/// Implements Device::probe(): allocates two private buffers and computes on them. False means
/// damage; too little memory is an error that may pass, since it says nothing about the device.
/// Takes a few milliseconds on a CPU; deterministic.
Result<bool> probe_by_computing(Device& device);

/// The computation: y = a x + 1 in `values` (4 bytes per element) and in `truth` (8 bytes), which
/// must agree in every element; one wrong element must be noticed; and both values of every bit are
/// stored and read.
Result<bool> computes_correctly(BufferOps& ops, Buffer& values, Buffer& truth);

}  // namespace kw::device
