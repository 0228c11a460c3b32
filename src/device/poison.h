// Poison: the content of memory that nobody has filled yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/parallel.h"

namespace kw::device {

/// Fills memory with bytes that are large finite numbers when read as any real type, and that
/// differ for every seed. Runs at memory speed: about 0.05 ns per byte on two cores with AVX-512.
void fill_poison(std::span<std::byte> memory, std::uint64_t seed, Parallel& parallel);

}  // namespace kw::device
