// Evicts memory from caches, and copies memory past them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace kw::device {

/// Writes back and drops every line of `bytes` from every cache of the machine, whichever processor
/// and process holds it: the instruction acts on physical lines throughout the coherence domain
/// (Intel SDM volume 2, CLFLUSHOPT; AMD APM volume 3). Takes about 1 ns per line, less if the line
/// is in no cache.
void evict(std::span<const std::byte> bytes);

/// Bytes from which on copying past the caches pays: less may be read again while still in a cache.
inline constexpr std::size_t kLong = std::size_t{1} << 20;

/// Copies with non-temporal stores: at memory speed without reading the target, and without leaving
/// dirty lines that someone else must write back. For parts of long memory; both of equal length,
/// not overlapping.
void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from);

}  // namespace kw::device
