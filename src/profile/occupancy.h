// How many blocks of a kernel a multiprocessor holds, what limits it, and how full the last wave
// is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "device/multiprocessor.h"
#include "record/enums.h"

namespace kw::profile {

/// The limit that decides how many blocks are resident.
enum class OccupancyLimit { Warps, Blocks, Registers, Shared };

/// The resources that a block asks for.
struct BlockNeeds {
  int threads = 0;
  int registers = 0;              ///< Registers of one thread.
  std::int64_t shared_bytes = 0;  ///< Static and dynamic.
};

struct Occupancy {
  int blocks = 0;  ///< Blocks resident on one multiprocessor; 0: the kernel cannot be launched.
  int warps = 0;
  double share = 0;  ///< Resident warps over those that a multiprocessor can hold, 0–1.
  OccupancyLimit limit = OccupancyLimit::Warps;
  /// Blocks that each limit alone would allow, in the order of OccupancyLimit.
  std::array<int, 4> allowed{};
};

/// Computes occupancy by the rules of the toolkit's occupancy calculator: registers are given per
/// warp in multiples of register_unit within a partition, shared memory per block in multiples of
/// shared_unit after what the driver reserves. Of equal limits the first named one is reported.
Occupancy occupancy_of(const device::Multiprocessor& m, const BlockNeeds& needs);

/// How a grid falls into waves of resident blocks.
struct Waves {
  std::int64_t full = 0;  ///< Waves in which every multiprocessor is as full as it gets.
  double tail =
      0;  ///< Share of block places that a partial last wave fills, 0–1; 0: there is none.
  /// Share of the block places of all waves that blocks take: blocks ÷ (waves × places).
  double efficiency = 0;
};
Waves waves_of(std::int64_t grid_blocks, int multiprocessors, int blocks_per_multiprocessor);

}  // namespace kw::profile

template <>
struct kw::EnumNames<kw::profile::OccupancyLimit> {
  static constexpr std::array<std::string_view, 4> names{"warps", "blocks", "registers",
                                                         "shared memory"};
};
