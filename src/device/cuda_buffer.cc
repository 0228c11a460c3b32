// Allocates GPU memory by the driver's virtual memory calls: reserve, create, map, open, export.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/rng.h"
#include "device/layout.h"

namespace kw::device {
namespace {

constexpr std::uint64_t kGpuFrontSlack = 4096;
constexpr std::uint64_t kLeastGuard = std::uint64_t{4} << 30;

cuda::AllocationProperties properties_on(const CudaContext& context) {
  cuda::AllocationProperties p;
  p.requested_handle_types = cuda::kHandlePosixDescriptor;
  p.location.id = context.device();
  return p;
}

}  // namespace

CudaLayout cuda_layout(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t granularity) {
  CudaLayout l;
  l.mapped = round_up(kGpuFrontSlack + bytes + alignment, granularity);
  l.offset = (l.mapped - bytes) / alignment * alignment;
  l.guard = round_up(std::max(kLeastGuard, 2 * bytes), granularity);
  return l;
}

Result<std::unique_ptr<CudaBuffer>> CudaBuffer::allocate(const CudaContext& context,
                                                         const BufferSpec& spec) {
  KW_ASSERT(spec.bytes >= 0 && spec.alignment > 0 &&
            std::has_single_bit(static_cast<std::uint64_t>(spec.alignment)));
  constexpr std::int64_t kMostAlignment = 4096;
  if (spec.alignment > kMostAlignment)
    return fail(ErrorCode::OutOfRange, About{"alignment"},
                fmt::format("the tensor asks for an alignment of {} bytes; at most {} are possible",
                            spec.alignment, kMostAlignment),
                spec.name);
  KW_TRY(context.enter());
  std::unique_ptr<CudaBuffer> buffer(new CudaBuffer(context));
  buffer->bytes_ = static_cast<std::uint64_t>(spec.bytes);
  buffer->is_shared_ = spec.shared;
  if (spec.shared) {
    KW_TRY(buffer->allocate_shared(static_cast<std::uint64_t>(spec.alignment), spec.name));
    return buffer;
  }
  // Allocations are aligned to at least 256 bytes; the driver refuses an allocation of 0 bytes.
  KW_TRY(context.check(
      context.api().cuMemAlloc(&buffer->base_, std::max<std::uint64_t>(buffer->bytes_, 1)),
      fmt::format("allocate {} bytes for {}", spec.bytes, spec.name)));
  return buffer;
}

Result<> CudaBuffer::allocate_shared(std::uint64_t alignment, const std::string& name) {
  const cuda::Api& api = context_.api();
  const auto properties = properties_on(context_);
  std::size_t granularity = 0;
  KW_TRY(context_.check(
      api.cuMemGetAllocationGranularity(&granularity, &properties, cuda::kGranularityMinimum),
      "read the granularity of the GPU's memory allocations"));
  if (granularity == 0)
    return fail(ErrorCode::DeviceFailed, About{"granularity"},
                "the NVIDIA driver reports a memory granularity of 0 bytes", name);
  layout_ = cuda_layout(bytes_, alignment, granularity);
  KW_TRY(
      context_.check(api.cuMemAddressReserve(&base_, layout_.mapped + 2 * layout_.guard, 0, 0, 0),
                     "reserve GPU addresses for buffer " + name));
  cuda::Allocation allocation = 0;
  KW_TRY(context_.check(api.cuMemCreate(&allocation, layout_.mapped, &properties, 0),
                        fmt::format("allocate {} bytes for {}", layout_.mapped, name)));
  const auto made = [&]() -> Result<> {
    const cuda::Address at = base_ + layout_.guard;
    KW_TRY(context_.check(api.cuMemMap(at, layout_.mapped, 0, allocation, 0), "map " + name));
    is_mapped_ = true;
    cuda::AccessDescription access;
    access.location.id = context_.device();
    access.flags = cuda::kProtectReadWrite;
    KW_TRY(context_.check(api.cuMemSetAccess(at, layout_.mapped, &access, 1), "open " + name));
    int descriptor = -1;
    KW_TRY(context_.check(
        api.cuMemExportToShareableHandle(&descriptor, allocation, cuda::kHandlePosixDescriptor, 0),
        "share " + name));
    descriptor_.reset(descriptor);
    return {};
  }();
  api.cuMemRelease(allocation);  // mapping and descriptor keep the memory alive
  canary_key_ = Seed::from_os().low;
  return made;
}

CudaBuffer::~CudaBuffer() {
  if (base_ == 0 || !context_.enter().has_value()) return;
  const cuda::Api& api = context_.api();
  if (!is_shared_) {
    api.cuMemFree(base_);
    return;
  }
  if (is_mapped_) api.cuMemUnmap(base_ + layout_.guard, layout_.mapped);
  api.cuMemAddressFree(base_, layout_.mapped + 2 * layout_.guard);
}

Result<> CudaBuffer::read(std::int64_t offset, std::span<std::byte> to) const {
  if (!is_inside(offset, to.size(), bytes_))
    return fail(ErrorCode::OutOfRange, About{"read"},
                "an internal error: a read reaches outside its GPU buffer");
  if (to.empty()) return {};
  KW_TRY(context_.enter());
  return context_.check(context_.api().cuMemcpyDtoH(
                            to.data(), payload() + static_cast<std::uint64_t>(offset), to.size()),
                        "read a buffer");
}

Result<> CudaBuffer::write(std::int64_t offset, std::span<const std::byte> from) {
  if (!is_inside(offset, from.size(), bytes_))
    return fail(ErrorCode::OutOfRange, About{"write"},
                "an internal error: a write reaches outside its GPU buffer");
  if (from.empty()) return {};
  KW_TRY(context_.enter());
  KW_TRY(context_.check(context_.api().cuMemcpyHtoD(payload() + static_cast<std::uint64_t>(offset),
                                                    from.data(), from.size()),
                        "write a buffer"));
  // Pageable memory may still be on its way when the copy returns, so its end is awaited.
  return context_.synchronize("write a buffer");
}

player::MapEntry CudaBuffer::map_entry(bool writable) const {
  KW_ASSERT(is_shared_);
  player::MapEntry entry;
  entry.kind = player::BufferKind::DeviceAllocation;
  entry.access = writable ? player::Access::ReadWrite : player::Access::ReadOnly;
  entry.mapped_bytes = layout_.mapped;
  entry.payload_offset = layout_.offset;
  entry.payload_bytes = bytes_;
  entry.guard_bytes = layout_.guard;
  return entry;
}

const CudaBuffer& as_cuda(const Buffer& buffer) {
  const auto* own = dynamic_cast<const CudaBuffer*>(&buffer);
  KW_ASSERT(own != nullptr);
  return *own;
}

}  // namespace kw::device
