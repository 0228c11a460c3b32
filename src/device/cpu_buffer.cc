// Allocation and layout of shared CPU buffers.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_buffer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "device/layout.h"
#include "platform/clock.h"

namespace kw::device {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFrontSlack = kPage;

#ifndef MADV_COLLAPSE
constexpr int MADV_COLLAPSE = 25;  // Linux 6.1
#endif

/// Collapsing free memory takes about 1 ms for this much; where the kernel has to search for huge
/// pages it takes ten times that, more than they can win back.
constexpr std::size_t kCollapseStep = std::size_t{16} << 20;
constexpr std::int64_t kPatienceNs = 4'000'000;

/// Gives the mapping its memory now, in huge pages as far as the kernel has them at hand; both
/// players of a pair see the same pages either way. One page is touched in each 2 MiB first, for
/// the kernel collapses no empty range; collapsing whole ones would copy them (256 MiB: 17 ms this
/// way, 780 ms that way, 170 ms in small pages, in which streaming is up to a quarter slower). 0 or
/// the errno.
int give_memory(const player::GuardedMapping& mapping) {
  for (std::size_t at = 0; at + player::kHugePage <= mapping.mapped_bytes; at += kCollapseStep) {
    const std::size_t bytes = std::min(kCollapseStep, mapping.mapped_bytes - at);
    const std::int64_t start = platform::real_clock().now_ns();
    for (std::size_t page = 0; page + player::kHugePage <= bytes; page += player::kHugePage)
      ::madvise(mapping.mapped + at + page, kPage, MADV_POPULATE_WRITE);
    ::madvise(mapping.mapped + at, bytes, MADV_COLLAPSE);  // a wish; since Linux 6.1
    if (platform::real_clock().now_ns() - start > kPatienceNs) break;
  }
  return player::populate(mapping, true);
}

}  // namespace

Result<std::unique_ptr<CpuBuffer>> CpuBuffer::allocate(const BufferSpec& spec) {
  KW_ASSERT(spec.bytes >= 0 && spec.alignment > 0 &&
            std::has_single_bit(static_cast<std::uint64_t>(spec.alignment)));
  if (spec.alignment > static_cast<std::int64_t>(kPage))
    return fail(fmt::format("alignment of {} is above {}", spec.alignment, kPage), spec.name);
  const auto bytes = static_cast<std::size_t>(spec.bytes);
  const auto alignment = static_cast<std::size_t>(spec.alignment);
  const std::size_t mapped = round_up(kFrontSlack + bytes + alignment, kPage);

  std::unique_ptr<CpuBuffer> buffer(new CpuBuffer);
  buffer->fd_ = KW_TRY(platform::make_memfd(spec.name, mapped));
  // Without /proc an input is protected by its mapping alone; changes are still found afterwards.
  const auto self = fmt::format("/proc/self/fd/{}", buffer->fd_.get());
  buffer->read_only_ = platform::Fd(::open(self.c_str(), O_RDONLY | O_CLOEXEC));
  if (!buffer->read_only_)
    buffer->read_only_ = platform::Fd(::fcntl(buffer->fd_.get(), F_DUPFD_CLOEXEC, 0));
  KW_TRY(platform::seal_memfd(buffer->fd_, false));
  const int error =
      player::map_guarded(buffer->fd_.get(), mapped, kGuardBytes, true, buffer->mapping_);
  if (error != 0) return platform::fail_errno("map", spec.name, error);
  buffer->bytes_ = bytes;
  buffer->offset_ = (mapped - bytes) / alignment * alignment;
  buffer->shared_ = spec.shared;
  if (const int trouble = give_memory(buffer->mapping_); trouble != 0)
    return platform::fail_errno("allocate", spec.name, trouble);
  buffer->arm_guards();
  return buffer;
}

CpuBuffer::~CpuBuffer() { player::unmap(mapping_); }

player::MapEntry CpuBuffer::map_entry(bool writable) const {
  player::MapEntry entry;
  entry.access = writable ? player::Access::ReadWrite : player::Access::ReadOnly;
  entry.mapped_bytes = mapping_.mapped_bytes;
  entry.payload_offset = offset_;
  entry.payload_bytes = bytes_;
  entry.guard_bytes = kGuardBytes;
  return entry;
}

}  // namespace kw::device
