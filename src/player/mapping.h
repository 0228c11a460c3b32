// Shared memory mapped between unmapped guards, so that a stray access faults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace kw::player {

/// Size of huge pages; they are used only where file offset and address are congruent modulo this.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

inline constexpr int kNoDescriptor = -1;

/// Memory of `mapped_bytes` in the middle of an inaccessible reservation.
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

/// Maps `descriptor` from its start, shared; with kNoDescriptor maps private memory. The guard
/// before the memory has `guard_bytes` or a little more, and the guard behind begins at the next
/// page. Returns 0 or the errno; on error nothing stays mapped.
int map_guarded(int descriptor, std::size_t mapped_bytes, std::size_t guard_bytes, bool writable,
                GuardedMapping& out);

/// Allocates the missing pages of a writable mapping: takes 0.6 ms per MiB in small pages, and less
/// than 0.1 ms in huge ones that already exist. Returns 0 or the errno.
int populate(const GuardedMapping& mapping);

/// Enters pages that another process has populated into the page table of this process, so that the
/// first call does not pay for faults: takes 0.1 ms per MiB in small pages, next to nothing in huge
/// ones. Changes no byte. Returns 0 or the errno.
int enter(const GuardedMapping& mapping, bool writable);

void unmap(GuardedMapping& mapping);

}  // namespace kw::player
