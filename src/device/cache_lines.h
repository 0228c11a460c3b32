// Memory and caches by the line: eviction, and copies that leave nothing behind in a cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace kw::device {

/// Writes back and drops every line of `bytes` from every cache of the machine, whichever processor
/// and process holds it: the instruction acts on physical lines throughout the coherence domain
/// (Intel SDM volume 2, CLFLUSHOPT; AMD APM volume 3). About 1 ns a line, less if it is in no
/// cache.
void evict(std::span<const std::byte> bytes);

/// Memory of fewer bytes may well be read again before it leaves the caches.
inline constexpr std::size_t kLong = std::size_t{1} << 20;

/// Copies with non-temporal stores: at memory's speed without reading the target, and nobody pays
/// later for dirty lines. For parts of long memory; of equal length, not overlapping.
void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from);

}  // namespace kw::device
