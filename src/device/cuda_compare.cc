// Compares tensors on a GPU: a kernel computes sums per segment; the host merges the sums and lists
// mismatches.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "device/compare.h"
#include "device/compare_region.h"
#include "device/cuda/compare.cuh"
#include "device/cuda_ops.h"

namespace kw::device {
namespace {

std::vector<std::byte> room_for(const Stretch& stretch, std::size_t element) {
  return std::vector<std::byte>(static_cast<std::size_t>(stretch.length) * element);
}

/// Brings the elements of one piece to the host and notes its mismatches.
Result<> look_closer(const Buffer& got, const Buffer& truth, const Buffer* magnitude,
                     const ComparedRegion& region, std::int64_t piece, Comparison& into) {
  const Stretch span = region.span_of(piece);
  const auto fetch = [&](const Buffer& buffer, std::size_t element,
                         std::vector<std::byte>& memory) -> Result<> {
    memory = room_for(span, element);
    return buffer.read(span.begin * static_cast<std::int64_t>(element), memory);
  };
  const Dtype dtype = region.dtype();
  std::vector<std::byte> values, wanted, scale;
  KW_TRY(fetch(got, size_of(dtype), values));
  KW_TRY(fetch(truth, is_real(dtype) ? sizeof(double) : size_of(dtype), wanted));
  if (magnitude != nullptr) KW_TRY(fetch(*magnitude, sizeof(double), scale));
  region.note_mismatches(piece, {values, wanted, scale, span.begin}, into);
  return {};
}

}  // namespace

Result<Comparison> CudaOps::compare(const Buffer& got, const Buffer& truth, const Buffer* magnitude,
                                    const Tensor& tensor, const Region& region,
                                    const Allowance& allowance, const Selection& selection) {
  KW_TRY(begin());
  KW_TRY(check_comparison(got.bytes(), truth.bytes(),
                          magnitude != nullptr ? magnitude->bytes() : -1, tensor, region));
  if (tensor.sizes.size() > KW_MOST_DIMS)
    return fail(
        ErrorCode::Unsupported, About{"dimensions"},
        fmt::format(
            "the tensor has more than {} dimensions, the most that can be compared on a GPU",
            KW_MOST_DIMS),
        tensor.name);
  const ComparedRegion compared(tensor, region, allowance);
  const std::int64_t segments = compared.segments();
  Comparison all;
  if (segments == 0) return all;

  CompareJob job = compared.job(selection);
  const auto address = [](const Buffer& b) {
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(as_cuda(b).payload()));
  };
  job.got = address(got);
  job.truth = address(truth);
  job.magnitude = magnitude != nullptr ? static_cast<const double*>(address(*magnitude)) : nullptr;
  segment_sums_.resize(static_cast<std::size_t>(segments));
  const std::size_t bytes = segment_sums_.size() * sizeof(ScalarTotals);
  cuda::Address out = KW_TRY(scratch(bytes));
  // Each block gets so many segments that, on average, one piece is chosen for every eight of its
  // threads.
  int per_block = static_cast<int>(
      std::clamp(1 / std::max(selection.share, 1e-3), 1.0, static_cast<double>(KW_BLOCK_SEGMENTS)));
  void* arguments[] = {&job, &per_block, &out};
  const std::int64_t blocks = (segments + per_block - 1) / per_block;
  KW_TRY(launch(k_.compare, static_cast<std::uint64_t>(blocks) * kOpThreads, arguments, ~0u));
  KW_TRY(c_.check(c_.api().cuMemcpyDtoH(segment_sums_.data(), out, bytes), "compare buffers"));
  for (std::int64_t s = 0; s < segments; ++s) {
    const ScalarTotals& sum = segment_sums_[static_cast<std::size_t>(s)];
    merge(all, sum);
    if (sum.failed == 0 || all.first.size() >= kMostMismatches) continue;
    for (const std::int64_t piece : compared.choose(selection, s))
      if (all.first.size() < kMostMismatches)
        KW_TRY(look_closer(got, truth, magnitude, compared, piece, all));
  }
  return all;
}

}  // namespace kw::device
