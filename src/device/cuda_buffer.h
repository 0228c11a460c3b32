// Memory of a GPU: shared allocations between unmapped addresses, and private ones of the referee.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda_context.h"
#include "device/device.h"
#include "platform/files.h"
#include "player/protocol.h"

namespace kw::device {

/// Where a shared payload lies in its mapping; all in bytes.
struct CudaLayout {
  std::uint64_t mapped = 0;  ///< Size of the mapping, a multiple of the allocation granularity.
  /// Offset of the payload, as close to the end as its alignment allows.
  std::uint64_t offset = 0;
  std::uint64_t guard = 0;  ///< Unmapped addresses on either side: max(4 GiB, 2 × payload).
};
CudaLayout cuda_layout(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t granularity);

class CudaBuffer final : public Buffer {
 public:
  /// Allocates a buffer; `context` is borrowed. Canaries are set by CudaOps::arm_guards().
  static Result<std::unique_ptr<CudaBuffer>> allocate(const CudaContext& context,
                                                      const BufferSpec& spec);
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  ~CudaBuffer() override;

  std::int64_t bytes() const override { return static_cast<std::int64_t>(bytes_); }
  Result<> read(std::int64_t offset, std::span<std::byte> to) const override;
  Result<> write(std::int64_t offset, std::span<const std::byte> from) override;

  cuda::Address payload() const { return base_ + layout_.guard + layout_.offset; }
  cuda::Address front_slack() const { return base_ + layout_.guard; }
  std::uint64_t front_bytes() const { return layout_.offset; }
  cuda::Address back_slack() const { return payload() + bytes_; }
  std::uint64_t back_bytes() const {
    return is_shared_ ? layout_.mapped - layout_.offset - bytes_ : 0;
  }
  bool is_shared() const { return is_shared_; }
  /// The key from which the canaries are computed.
  std::uint64_t canary_key() const { return canary_key_; }
  /// What a player needs to map the buffer; the descriptor still belongs to the buffer.
  player::MapEntry map_entry(bool writable) const;
  int descriptor() const { return descriptor_.get(); }

 private:
  explicit CudaBuffer(const CudaContext& context) : context_(context) {}
  Result<> allocate_shared(std::uint64_t alignment, const std::string& name);

  const CudaContext& context_;
  bool is_shared_ = false;
  std::uint64_t bytes_ = 0;
  CudaLayout layout_;
  cuda::Address base_ = 0;  ///< Address of the reservation, or of the private allocation.
  bool is_mapped_ = false;
  std::uint64_t canary_key_ = 0;
  platform::Fd descriptor_;
};

/// The buffer as a CudaBuffer, which it must be.
const CudaBuffer& as_cuda(const Buffer& buffer);

}  // namespace kw::device
