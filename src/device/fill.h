// Draws a tensor's values: one function per kind of docs/formats.md, "Values".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "device/parallel.h"
#include "device/random_values.h"
#include "record/task.h"

namespace kw::device {

/// Fills the tensor's elements, and row padding with poison. `memory` holds at least the tensor's
/// bytes. An unknown kind of values is an error that names it.
Result<> fill_values(std::span<std::byte> memory, const Tensor& tensor, std::uint64_t seed,
                     Parallel& parallel);

/// How each element of the tensor follows from its index, for any kind but "points".
Result<DrawSpec> draw_spec(const Tensor& tensor, std::uint64_t seed);

}  // namespace kw::device
