// Compares one region of a tensor with its truth, the float64 reference values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "device/device.h"
#include "device/parallel.h"

namespace kw::device {

/// Compares one region. `got` holds the tensor's dtype, `truth` and `magnitude` (may be empty) hold
/// float64 in the same layout; for integers `truth` has the tensor's dtype. Limited by memory: 12
/// bytes per element for f32.
Comparison compare_region(std::span<const std::byte> got, std::span<const std::byte> truth,
                          std::span<const std::byte> magnitude, const Tensor& tensor,
                          const Region& region, const Allowance& allowance,
                          const Selection& selection, Parallel& parallel);

}  // namespace kw::device
