// mmap within a PROT_NONE reservation.
// SPDX-License-Identifier: Apache-2.0
#include "player/mapping.h"

#include <sys/mman.h>

#include <cerrno>

namespace kw::player {

int map_guarded(int descriptor, std::size_t mapped_bytes, std::size_t guard_bytes, bool writable,
                GuardedMapping& out) {
  const std::size_t page = 4096;
  const std::size_t mapped = (mapped_bytes + page - 1) / page * page;
  const std::size_t total = mapped + 2 * guard_bytes + kHugePage;
  void* base =
      ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errno;
  const auto first = reinterpret_cast<std::uintptr_t>(base) + guard_bytes;
  const auto at = (first + kHugePage - 1) / kHugePage * kHugePage;
  const int access = PROT_READ | (writable ? PROT_WRITE : 0);
  void* middle =
      ::mmap(reinterpret_cast<void*>(at), mapped, access, MAP_SHARED | MAP_FIXED, descriptor, 0);
  if (middle == MAP_FAILED) {
    const int error = errno;
    ::munmap(base, total);
    return error;
  }
  out = {static_cast<std::byte*>(base), total, static_cast<std::byte*>(middle), mapped};
  return 0;
}

int populate(const GuardedMapping& mapping, bool writable) {
  const int advice = writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  if (::madvise(mapping.mapped, mapping.mapped_bytes, advice) == 0) return 0;
  return errno == EINVAL ? 0 : errno;  // before Linux 5.14: faulted in on use
}

void unmap(GuardedMapping& mapping) {
  if (mapping.reserved != nullptr) ::munmap(mapping.reserved, mapping.reserved_bytes);
  mapping = {};
}

}  // namespace kw::player
