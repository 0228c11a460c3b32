// The page of host memory in which trusted kernels tell the referee the time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw::player {

/// Shared by referee, player and, pinned, the device. Every field that says something holds the
/// nonce of the run that it speaks of; each line of a cache has one writer.
/// src/device/cuda/player.cu writes the same layout.
struct ClockPage {
  /// By the player, once everything is queued: the spacer waits for it.
  alignas(64) volatile std::uint64_t go;
  /// By the spacer: at end_ns of %globaltimer it will let the candidate begin.
  alignas(64) volatile std::uint64_t announced;
  volatile std::uint64_t end_ns;
  /// By the stamp kernel: at stamp_ns everything had ended.
  alignas(64) volatile std::uint64_t stamped;
  volatile std::uint64_t stamp_ns;
};

inline constexpr std::size_t kClockPageBytes = 4096;
static_assert(sizeof(ClockPage) == 192 && offsetof(ClockPage, announced) == 64 &&
              offsetof(ClockPage, end_ns) == 72 && offsetof(ClockPage, stamped) == 128 &&
              offsetof(ClockPage, stamp_ns) == 136);

}  // namespace kw::player
