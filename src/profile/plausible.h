// Which measured ceilings cannot be true. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "record/device.h"

namespace kw::profile {

/// A ceiling whose samples' central 80 % reach farther from their median is not reliable.
inline constexpr double kMaxSpread = 0.30;

/// One ceiling that contradicts physics or its neighbours.
struct Doubt {
  std::size_t index = 0;  ///< The ceiling's place in the list.
  std::string why;        ///< A whole sentence.
};

/// Rules, each with room for noise: a rate is finite and within what a core can issue; an outer
/// level is not faster than an inner one; reading is at least half as fast as copying; a mix
/// reaches a fifth of the best of its level; more threads are neither slower nor faster than as
/// many cores; wider vectors are not slower, f64 not faster than f32, and narrower types not slower
/// on matrix units. Where two contradict each other, both are doubted. With `gpu` (borrowed for the
/// call), device::datasheet_rate bounds each rate instead of what a core can issue; what is unknown
/// there is not bounded.
std::vector<Doubt> implausible(std::span<const Ceiling> ceilings, const GpuFacts* gpu = nullptr);

/// The fewest ceilings to drop so that no contradiction is left: those that are impossible by
/// themselves, then always the one that contradicts most others (of equals the one that spreads
/// more).
std::vector<Doubt> to_refuse(std::span<const Ceiling> ceilings, const GpuFacts* gpu = nullptr);

bool is_reliable(const Ceiling& ceiling);

/// Describes a ceiling: "DRAM read:write 3:1, 2 threads", "fma f32 avx512, 2 threads"; of a GPU "L2
/// reads", "mma bf16 sm_90a".
std::string describe(const Ceiling& ceiling);

}  // namespace kw::profile
