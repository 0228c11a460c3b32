// Counter-based random numbers: the value at an index depends on seed and index alone, never on
// order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/draw.cuh"

namespace kw::device {

/// The table for normal_at(); built once.
const Ziggurat& ziggurat();

}  // namespace kw::device
