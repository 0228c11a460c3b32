// Maps shared memory within a PROT_NONE reservation.
// SPDX-License-Identifier: Apache-2.0
#include "player/mapping.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "base/defence.h"

namespace kw::player {
namespace {

constexpr std::size_t kPage = 4096;

int advise(const GuardedMapping& mapping, int advice) {
  if (::madvise(mapping.mapped, mapping.mapped_bytes, advice) == 0) return 0;
  return errno == EINVAL ? 0 : errno;  // before Linux 5.14 pages are faulted in on use
}

}  // namespace

int map_guarded(int descriptor, std::size_t mapped_bytes, std::size_t guard_bytes, bool writable,
                GuardedMapping& out) {
  const std::size_t mapped = (mapped_bytes + kPage - 1) / kPage * kPage;
  const std::size_t total = mapped + 2 * guard_bytes + kHugePage;
  const int guards = is_on(Defence::GuardPages) ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* base = ::mmap(nullptr, total, guards, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errno;
  const auto first = reinterpret_cast<std::uintptr_t>(base) + guard_bytes;
  const auto at = (first + kHugePage - 1) / kHugePage * kHugePage;
  const int access = PROT_READ | (writable ? PROT_WRITE : 0);
  const int kind = descriptor == kNoDescriptor ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* middle =
      ::mmap(reinterpret_cast<void*>(at), mapped, access, kind | MAP_FIXED, descriptor, 0);
  if (middle == MAP_FAILED) {
    const int error = errno;
    ::munmap(base, total);
    return error;
  }
  out = {static_cast<std::byte*>(base), total, static_cast<std::byte*>(middle), mapped};
  return 0;
}

int populate(const GuardedMapping& mapping) { return advise(mapping, MADV_POPULATE_WRITE); }

// At a fault the kernel enters sixteen pages if it was a read and one if it was a write. Populating
// for reading makes shared memory writable too, but the dirty bits are missing, which the processor
// would set in the first timed call; so a byte of each page is written, unchanged.
int enter(const GuardedMapping& mapping, bool writable) {
  if (const int error = advise(mapping, MADV_POPULATE_READ); error != 0 || !writable) return error;
  for (std::size_t at = 0; at < mapping.mapped_bytes; at += kPage)
    std::atomic_ref(reinterpret_cast<unsigned char&>(mapping.mapped[at]))
        .fetch_or(0, std::memory_order_relaxed);
  return 0;
}

void unmap(GuardedMapping& mapping) {
  if (mapping.reserved != nullptr) ::munmap(mapping.reserved, mapping.reserved_bytes);
  mapping = {};
}

}  // namespace kw::player
