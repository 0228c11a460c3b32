// Converts the bytes of any dtype to doubles and back.
// SPDX-License-Identifier: Apache-2.0
#include "referee/values.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/element.h"

namespace kw::referee {

void append_values(std::vector<double>& to, Dtype dtype, std::span<const std::byte> bytes) {
  device::with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      to.push_back(static_cast<double>(value));
    }
  });
}

void store_values(std::span<std::byte> to, Dtype dtype, std::span<const double> values) {
  KW_ASSERT(to.size() == values.size() * size_of(dtype));
  device::with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = device::element_of<T>(values[i]);
      std::memcpy(to.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
}

std::int64_t elements_of(const Region& region) {
  std::int64_t count = 1;
  for (const Range& range : region.ranges) count *= range.hi - range.lo;
  return count;
}

Region whole(const Tensor& tensor) {
  Region region;
  for (const std::int64_t size : tensor.sizes) region.ranges.push_back({0, size});
  return region;
}

// Works on the bits of the number, which is a hundred times faster than frexp: a carry out of the
// fraction gives the next exponent.
double rounded(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int dropped = std::numeric_limits<double>::digits - bits;
  if (dropped <= 0) return value;
  auto coded = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t is_odd = coded >> dropped & 1;
  coded += (std::uint64_t{1} << (dropped - 1)) - 1 + is_odd;
  return std::bit_cast<double>(coded >> dropped << dropped);
}

void for_each_run(const Tensor& tensor, const Region& region,
                  const std::function<void(std::int64_t, std::int64_t)>& visit) {
  const std::size_t rank = tensor.sizes.size();
  if (rank == 0) return visit(0, 1);
  for (const Range& range : region.ranges)
    if (range.hi <= range.lo) return;
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t d = rank - 1; d-- > 0;)
    strides[d] = d + 2 == rank ? tensor.pitch : strides[d + 1] * tensor.sizes[d + 1];
  std::vector<std::int64_t> at(rank);
  for (std::size_t d = 0; d < rank; ++d) at[d] = region.ranges[d].lo;
  const Range last = region.ranges[rank - 1];
  while (true) {
    std::int64_t offset = last.lo;
    for (std::size_t d = 0; d + 1 < rank; ++d) offset += at[d] * strides[d];
    visit(offset, last.hi - last.lo);
    std::size_t d = rank - 1;
    while (d > 0 && ++at[d - 1] == region.ranges[d - 1].hi) {
      at[d - 1] = region.ranges[d - 1].lo;
      --d;
    }
    if (d == 0) return;
  }
}

Result<std::vector<double>> read_region(const device::Buffer& from, const Tensor& tensor,
                                        const Region& region) {
  std::vector<double> values;
  std::vector<std::byte> row;
  Result<> trouble;
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
  for_each_run(tensor, region, [&](std::int64_t offset, std::int64_t length) {
    if (!trouble.has_value()) return;
    row.resize(static_cast<std::size_t>(length * size));
    trouble = from.read(offset * size, row);
    if (trouble.has_value()) append_values(values, tensor.dtype, row);
  });
  if (!trouble.has_value()) return std::unexpected(trouble.error());
  return values;
}

double to_type(double value, Dtype dtype) {
  if (!is_real(dtype)) return value;
  device::with_element(dtype, [&](auto zero) {
    value = static_cast<double>(device::element_of<decltype(zero)>(value));
  });
  return value;
}

}  // namespace kw::referee
