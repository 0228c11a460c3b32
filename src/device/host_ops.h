// Buffer operations on memory that the host can address; shared by the cpu device and the fake one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/parallel.h"

namespace kw::device {

/// Works on HostBuffers only; limited by memory on all threads of `parallel`. Results do not depend
/// on the number of threads.
class HostOps final : public BufferOps {
 public:
  /// `parallel` is borrowed.
  explicit HostOps(Parallel& parallel) : parallel_(parallel) {}

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

 private:
  Parallel& parallel_;
};

}  // namespace kw::device
