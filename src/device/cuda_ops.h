// The referee's operations on a GPU's buffers: kernels of cuda/ops.cu, which give the same bits as
// those of the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/compare.cuh"
#include "device/cuda_buffer.h"
#include "device/cuda_context.h"
#include "device/device.h"
#include "device/parallel.h"

namespace kw::device {

/// Works on CudaBuffers; copy() also from and to host buffers. Every operation has ended when its
/// call returns.
class CudaOps final : public BufferOps {
 public:
  /// Both arguments are borrowed. Call equip() before anything else.
  CudaOps(const CudaContext& context, Parallel& parallel) : c_(context), parallel_(parallel) {}
  CudaOps(const CudaOps&) = delete;
  CudaOps& operator=(const CudaOps&) = delete;
  ~CudaOps() override;

  /// Loads the cubin of cuda/ops.cu, instead of an earlier one.
  Result<> equip(std::span<const std::byte> image);
  bool is_equipped() const { return module_ != nullptr; }

  Result<> fill(Buffer& to, const Tensor& tensor, std::uint64_t seed) override;
  Result<> poison(Buffer& to, std::uint64_t seed) override;
  Result<> copy(Buffer& to, const Buffer& from) override;
  Result<> widen(Buffer& to, const Buffer& from, const Tensor& tensor) override;
  Result<> narrow(Buffer& to, const Buffer& from, const Tensor& tensor) override;
  Result<Comparison> compare(const Buffer& got, const Buffer& truth, const Buffer* magnitude,
                             const Tensor& tensor, const Region& region, const Allowance& allowance,
                             const Selection& selection) override;
  Result<std::int64_t> count_differences(const Buffer& a, const Buffer& b, const Tensor& tensor,
                                         bool padding_only) override;
  Result<std::string> check_guards(Buffer& buffer) override;

  /// Fills the slack around a shared buffer's payload with canaries.
  Result<> arm_guards(CudaBuffer& buffer);
  /// Clears the L2: writes and then reads more than twice its size of other memory, and resets
  /// lines that were to persist. Then no line of any buffer is in the cache, and no line is dirty.
  Result<> flush();
  /// Smallest step of %globaltimer, in ns.
  Result<double> measure_timer_tick();

 private:
  static constexpr unsigned kOpThreads = 256;  ///< Threads of a block.
  struct Kernels {
    cuda::Function fill, poison, widen, narrow, count, arm, check, compare, flush_write, flush_read,
        tick;
  };

  Result<> begin();
  Result<> convert(cuda::Function function, const char* what, Buffer& to, const Buffer& from,
                   const Tensor& tensor);
  Result<> launch(cuda::Function function, std::uint64_t items, std::span<void*> arguments,
                  unsigned most_blocks = 0);
  /// Device memory of at least so many bytes, kept between operations.
  Result<cuda::Address> scratch(std::uint64_t bytes);
  Result<> make_flush_buffers();

  const CudaContext& c_;
  Parallel& parallel_;
  cuda::Module module_ = nullptr;
  Kernels k_{};
  cuda::Address ziggurat_ = 0;
  cuda::Address scratch_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  cuda::Address flush_[2] = {};  ///< One buffer is written, the other read.
  std::uint64_t flush_bytes_ = 0;
  unsigned flushes_ = 0;
  /// Sums of the latest comparison, kept so that their memory is touched only once.
  std::vector<ScalarTotals> segment_sums_;
};

}  // namespace kw::device
