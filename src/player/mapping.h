// Shared memory mapped between unmapped guards, so that a stray access faults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw::player {

/// Huge pages need file and address congruent at this size.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

inline constexpr int kNoDescriptor = -1;

/// `mapped_bytes` of a descriptor in the middle of an inaccessible reservation.
struct GuardedMapping {
  std::byte* reserved = nullptr;
  std::size_t reserved_bytes = 0;
  std::byte* mapped = nullptr;
  std::size_t mapped_bytes = 0;

  bool in_guard(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    return at >= reserved && at < reserved + reserved_bytes &&
           (at < mapped || at >= mapped + mapped_bytes);
  }
};

/// Maps `descriptor` from its start, shared; with kNoDescriptor memory of this process alone.
/// Guards are `guard_bytes` or a little more before, and begin right behind the last mapped page.
/// Returns 0 or the errno; on error nothing stays mapped.
int map_guarded(int descriptor, std::size_t mapped_bytes, std::size_t guard_bytes, bool writable,
                GuardedMapping& out);

/// Gives a writable mapping the pages that it lacks: 0.6 ms a MiB in small pages, less than 0.1 ms
/// in huge ones that are there already. 0 or the errno.
int populate(const GuardedMapping& mapping);

/// Enters the pages that another process has populated into this one's page table, so that the
/// first call pays for no faults: 0.1 ms a MiB in small pages, next to nothing in huge ones.
/// Changes no byte. 0 or the errno.
int enter(const GuardedMapping& mapping, bool writable);

void unmap(GuardedMapping& mapping);

}  // namespace kw::player
