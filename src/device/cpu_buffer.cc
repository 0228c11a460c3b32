// Allocates the buffers of the cpu device and lays out their payloads.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_buffer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>

#include "device/huge_pages.h"
#include "device/layout.h"

namespace kw::device {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFrontSlack = kPage;

#ifndef MADV_COLLAPSE
constexpr int MADV_COLLAPSE = 25;  // Linux 6.1
#endif

/// Account of huge pages for buffers that are renewed: their memory is allocated, mapped by two
/// players and given back again and again. Memory of other buffers is mostly filled once and read a
/// few times, and has its own account.
HugePages& pages_of_renewals() {
  static HugePages pages(1'300'000, 60'000'000, 1);
  return pages;
}
HugePages& pages_of_others() {
  static HugePages pages(500'000, 15'000'000, 1.0 / 32);
  return pages;
}

/// Bytes that one thread populates at a time.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// Processor time of this thread; wall time would count other processes that ran meanwhile.
std::int64_t used_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

/// Gives a part that begins at a huge page's boundary huge pages, as far as the kernel has free
/// ones. Of each 2 MiB one page is touched first, since the kernel does not collapse an empty
/// range. Collapsing fully populated ranges would copy them: 256 MiB would take 780 ms, against 17
/// ms as done here and 170 ms in small pages, in which streaming is up to a quarter slower.
void collapse(const player::GuardedMapping& part, HugePages& pages) {
  for (std::size_t at = 0; at + player::kHugePage <= part.mapped_bytes; at += player::kHugePage) {
    if (!pages.are_affordable()) return;
    const std::int64_t start = used_ns();
    ::madvise(part.mapped + at, kPage, MADV_POPULATE_WRITE);
    // MADV_COLLAPSE is only a request, and known since Linux 6.1.
    ::madvise(part.mapped + at, player::kHugePage, MADV_COLLAPSE);
    pages.took(used_ns() - start);
  }
}

/// Populates the mapping now; both players of a pair then see the same pages, whatever their size.
/// Returns 0 or the errno.
int give_memory(const player::GuardedMapping& mapping, HugePages& huge, Parallel& parallel) {
  static_assert(kPieceBytes % player::kHugePage == 0);
  std::atomic<int> error = 0;
  const std::size_t pieces = (mapping.mapped_bytes + kPieceBytes - 1) / kPieceBytes;
  parallel.for_each(static_cast<std::int64_t>(pieces), [&](std::int64_t piece) {
    player::GuardedMapping part = mapping;
    const std::size_t at = static_cast<std::size_t>(piece) * kPieceBytes;
    part.mapped += at;
    part.mapped_bytes = std::min(kPieceBytes, mapping.mapped_bytes - at);
    collapse(part, huge);
    const std::int64_t start = used_ns();
    if (const int trouble = player::populate(part); trouble != 0) error = trouble;
    huge.went_without(used_ns() - start);
  });
  return error;
}

}  // namespace

Result<std::unique_ptr<CpuBuffer>> CpuBuffer::allocate(const BufferSpec& spec, Parallel& parallel) {
  return allocate(spec, parallel, pages_of_others());
}

Result<std::unique_ptr<CpuBuffer>> CpuBuffer::allocate(const BufferSpec& spec, Parallel& parallel,
                                                       HugePages& pages) {
  KW_ASSERT(spec.bytes >= 0 && spec.alignment > 0 &&
            std::has_single_bit(static_cast<std::uint64_t>(spec.alignment)));
  if (spec.alignment > static_cast<std::int64_t>(kPage))
    return fail(ErrorCode::OutOfRange, About{"alignment"},
                fmt::format("the tensor asks for an alignment of {} bytes; at most {} are possible",
                            spec.alignment, kPage),
                spec.name);
  const auto bytes = static_cast<std::size_t>(spec.bytes);
  const auto alignment = static_cast<std::size_t>(spec.alignment);
  const std::size_t mapped = round_up(kFrontSlack + bytes + alignment, kPage);

  std::unique_ptr<CpuBuffer> buffer(new CpuBuffer(spec, parallel));
  if (spec.shared) KW_TRY(buffer->make_descriptors(spec.name, mapped));
  const int descriptor = spec.shared ? buffer->fd_.get() : player::kNoDescriptor;
  const int error = player::map_guarded(descriptor, mapped, kGuardBytes, true, buffer->mapping_);
  if (error != 0) return platform::fail_errno("map", spec.name, error);
  buffer->offset_ = (mapped - bytes) / alignment * alignment;
  if (const int trouble = give_memory(buffer->mapping_, pages, parallel); trouble != 0)
    return platform::fail_errno("allocate", spec.name, trouble);
  buffer->arm_guards();
  return buffer;
}

// The old memory is given back first, so that its pages, huge ones among them, can be used again.
Result<> CpuBuffer::renew() {
  player::unmap(mapping_);
  mapping_ = {};
  fd_ = {}, read_only_ = {};
  const std::unique_ptr<CpuBuffer> fresh = KW_TRY(allocate(spec_, parallel_, pages_of_renewals()));
  std::swap(fd_, fresh->fd_);
  std::swap(read_only_, fresh->read_only_);
  std::swap(mapping_, fresh->mapping_);
  std::swap(offset_, fresh->offset_);
  adopt_canaries(*fresh);
  return {};
}

Result<> CpuBuffer::make_descriptors(const std::string& name, std::size_t bytes) {
  fd_ = KW_TRY(platform::make_memfd(name, bytes));
  // Without /proc an input is protected by its mapping alone; changes are still detected
  // afterwards.
  const auto self = fmt::format("/proc/self/fd/{}", fd_.get());
  read_only_ = platform::Fd(::open(self.c_str(), O_RDONLY | O_CLOEXEC));
  if (!read_only_) read_only_ = platform::Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  return platform::seal_memfd(fd_, false);
}

CpuBuffer::~CpuBuffer() { player::unmap(mapping_); }

player::MapEntry CpuBuffer::map_entry(bool writable) const {
  player::MapEntry entry;
  entry.access = writable ? player::Access::ReadWrite : player::Access::ReadOnly;
  entry.mapped_bytes = mapping_.mapped_bytes;
  entry.payload_offset = offset_;
  entry.payload_bytes = size();
  entry.guard_bytes = kGuardBytes;
  return entry;
}

}  // namespace kw::device
