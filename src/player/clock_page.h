// The page of host memory through which trusted kernels tell the referee the time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw::player {

/// Memory shared by referee and player, and pinned for the device. Fields that announce something
/// hold the nonce of the run that they announce it for; each cache line has one writer.
/// src/device/cuda/player.cu writes the same layout.
struct ClockPage {
  /// Written by the player once everything is queued; the spacer, a kernel queued before the
  /// candidate, waits for this.
  alignas(64) volatile std::uint64_t go;
  /// Written by the spacer kernel, which will let the candidate begin at end_ns of %globaltimer.
  alignas(64) volatile std::uint64_t announced;
  volatile std::uint64_t end_ns;
  /// Written by the stamp kernel, which is queued behind the candidate: all work had ended at
  /// stamp_ns.
  alignas(64) volatile std::uint64_t stamped;
  volatile std::uint64_t stamp_ns;
};

inline constexpr std::size_t kClockPageBytes = 4096;
static_assert(sizeof(ClockPage) == 192 && offsetof(ClockPage, announced) == 64 &&
              offsetof(ClockPage, end_ns) == 72 && offsetof(ClockPage, stamped) == 128 &&
              offsetof(ClockPage, stamp_ns) == 136);

}  // namespace kw::player
