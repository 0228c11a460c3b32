// Comparison on a GPU: sums per piece by a kernel, their merging and the list of mismatches by the
// host's own code.
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

/// The elements of one piece, brought to the host.
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
    return fail(fmt::format("a tensor of more than {} dimensions", KW_MOST_DIMS), tensor.name);
  const ComparedRegion compared(tensor, region, allowance);
  const std::vector<std::int64_t> chosen = compared.choose(selection);
  Comparison all;
  if (chosen.empty()) return all;

  CompareJob job = compared.job();
  job.pieces = static_cast<long long>(chosen.size());
  const std::uint64_t list_bytes = (chosen.size() * sizeof(long long) + 255) / 256 * 256;
  const std::uint64_t piece_bytes = (chosen.size() * sizeof(PieceTotals) + 255) / 256 * 256;
  const std::uint64_t out_bytes = chosen.size() * sizeof(ScalarTotals);
  const cuda::Address memory = KW_TRY(scratch(list_bytes + piece_bytes + out_bytes));
  KW_TRY(
      c_.check(c_.api().cuMemcpyHtoD(memory, chosen.data(), chosen.size() * sizeof(std::int64_t)),
               "send the pieces"));
  const auto address = [](const Buffer& b) {
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(as_cuda(b).payload()));
  };
  job.got = address(got);
  job.truth = address(truth);
  job.magnitude = magnitude != nullptr ? static_cast<const double*>(address(*magnitude)) : nullptr;
  job.chosen = reinterpret_cast<const long long*>(static_cast<std::uintptr_t>(memory));
  cuda::Address pieces = memory + list_bytes, out = pieces + piece_bytes;
  void* arguments[] = {&job, &pieces};
  KW_TRY(launch(k_.compare, chosen.size() * KW_LANES, arguments, ~0u));
  void* to_fold[] = {&pieces, &job.pieces, &out};
  KW_TRY(launch(k_.fold, chosen.size(), to_fold));
  // A few numbers a piece: what its lanes hold is ten times as much.
  std::vector<ScalarTotals> totals(chosen.size());
  KW_TRY(c_.check(c_.api().cuMemcpyDtoH(totals.data(), out, out_bytes), "compare buffers"));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::int64_t failed_before = all.failed;
    merge(all, totals[i]);
    if (all.failed > failed_before && all.first.size() < kMostMismatches)
      KW_TRY(look_closer(got, truth, magnitude, compared, chosen[i], all));
  }
  return all;
}

}  // namespace kw::device
