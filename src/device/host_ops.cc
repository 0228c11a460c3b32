// Implements the operations on buffers in plain memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/host_ops.h"

#include <fmt/format.h>

#include <cstring>

#include "device/cache_lines.h"
#include "device/compare.h"
#include "device/compare_region.h"
#include "device/element.h"
#include "device/fill.h"
#include "device/host_buffer.h"
#include "device/layout.h"
#include "device/poison.h"

namespace kw::device {
namespace {

std::span<std::byte> memory_of(Buffer& buffer) {
  auto* host = dynamic_cast<HostBuffer*>(&buffer);
  KW_ASSERT(host != nullptr);
  return host->payload();
}

std::span<const std::byte> memory_of(const Buffer& buffer) {
  const auto* host = dynamic_cast<const HostBuffer*>(&buffer);
  KW_ASSERT(host != nullptr);
  return host->payload();
}

bool holds(std::span<const std::byte> memory, const Tensor& tensor, std::size_t element) {
  return memory.size() >= static_cast<std::size_t>(tensor.extent()) * element;
}

template <class T>
void widen_rows(std::span<std::byte> to, std::span<const std::byte> from, const Rows& rows,
                Parallel& parallel) {
  auto* wide = reinterpret_cast<double*>(to.data());
  const auto* narrow = reinterpret_cast<const T*>(from.data());
  const Pieces pieces(rows);
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      const std::int64_t at = row * rows.pitch + column;
      for (std::int64_t i = 0; i < n; ++i) wide[at + i] = static_cast<double>(narrow[at + i]);
    });
  });
}

template <class T>
void narrow_rows(std::span<std::byte> to, std::span<const std::byte> from, const Rows& rows,
                 Parallel& parallel) {
  auto* narrow = reinterpret_cast<T*>(to.data());
  const auto* wide = reinterpret_cast<const double*>(from.data());
  const Pieces pieces(rows);
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      const std::int64_t at = row * rows.pitch + column;
      for (std::int64_t i = 0; i < n; ++i) narrow[at + i] = nearest_of<T>(wide[at + i]);
    });
  });
}

std::int64_t count_differing(const std::byte* a, const std::byte* b, std::size_t bytes) {
  // Equal blocks, the usual case, are compared at memcmp's speed.
  constexpr std::size_t block = 4096;
  std::int64_t count = 0;
  for (std::size_t at = 0; at < bytes; at += block) {
    const std::size_t n = std::min(block, bytes - at);
    if (std::memcmp(a + at, b + at, n) == 0) continue;
    for (std::size_t i = at; i < at + n; ++i) count += a[i] != b[i];
  }
  return count;
}

}  // namespace

Result<> HostOps::fill(Buffer& to, const Tensor& tensor, std::uint64_t seed) {
  const auto memory = memory_of(to);
  KW_TRY(require_room(holds(memory, tensor, size_of(tensor.dtype)), "fill", tensor));
  return fill_values(memory, tensor, seed, parallel_);
}

Result<> HostOps::poison(Buffer& to, std::uint64_t seed) {
  fill_poison(memory_of(to), seed, parallel_);
  return {};
}

Result<> HostOps::copy(Buffer& to, const Buffer& from) {
  const auto target = memory_of(to);
  const auto source = memory_of(from);
  if (target.size() < source.size())
    return fail(ErrorCode::OutOfRange, About{"copy"},
                "a copy between buffers has more bytes than its target holds");
  const bool is_long = source.size() >= kLong;
  const Pieces pieces({1, static_cast<std::int64_t>(source.size()), 0});
  parallel_.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t, std::int64_t at, std::int64_t n) {
      const auto begin = static_cast<std::size_t>(at);
      const auto count = static_cast<std::size_t>(n);
      if (is_long)
        copy_past_caches(target.subspan(begin, count), source.subspan(begin, count));
      else
        std::memcpy(target.data() + begin, source.data() + begin, count);
    });
  });
  return {};
}

Result<> HostOps::widen(Buffer& to, const Buffer& from, const Tensor& tensor) {
  const auto wide = memory_of(to);
  const auto narrow = memory_of(from);
  KW_TRY(require_room(
      holds(wide, tensor, sizeof(double)) && holds(narrow, tensor, size_of(tensor.dtype)), "widen",
      tensor));
  const Rows rows = rows_of(tensor);
  return with_element(tensor.dtype, [&]<class T>(T) -> Result<> {
    if constexpr (kIsInteger<T>)
      return fail(ErrorCode::Unsupported, About{"to float64"},
                  "only floating-point tensors can be converted to float64", tensor.name);
    else
      widen_rows<T>(wide, narrow, rows, parallel_);
    return {};
  });
}

Result<> HostOps::narrow(Buffer& to, const Buffer& from, const Tensor& tensor) {
  const auto narrow = memory_of(to);
  const auto wide = memory_of(from);
  KW_TRY(require_room(
      holds(wide, tensor, sizeof(double)) && holds(narrow, tensor, size_of(tensor.dtype)), "narrow",
      tensor));
  const Rows rows = rows_of(tensor);
  return with_element(tensor.dtype, [&]<class T>(T) -> Result<> {
    if constexpr (kIsInteger<T>)
      return fail(ErrorCode::Unsupported, About{"from float64"},
                  "only floating-point tensors can be converted from float64", tensor.name);
    else
      narrow_rows<T>(narrow, wide, rows, parallel_);
    return {};
  });
}

Result<Comparison> HostOps::compare(const Buffer& got, const Buffer& truth, const Buffer* magnitude,
                                    const Tensor& tensor, const Region& region,
                                    const Allowance& allowance, const Selection& selection) {
  const auto values = memory_of(got);
  const auto wanted = memory_of(truth);
  const auto scale = magnitude != nullptr ? memory_of(*magnitude) : std::span<const std::byte>();
  KW_TRY(check_comparison(got.bytes(), truth.bytes(),
                          magnitude != nullptr ? magnitude->bytes() : -1, tensor, region));
  return compare_region(values, wanted, scale, tensor, region, allowance, selection, parallel_);
}

Result<std::int64_t> HostOps::count_differences(const Buffer& a, const Buffer& b,
                                                const Tensor& tensor, bool padding_only) {
  const auto left = memory_of(a);
  const auto right = memory_of(b);
  const std::size_t element = size_of(tensor.dtype);
  KW_TRY(require_room(holds(left, tensor, element) && holds(right, tensor, element), "compare",
                      tensor));
  const auto [bytes, start] = compared_bytes(tensor, padding_only);
  const Pieces pieces(bytes);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(pieces.count()));
  parallel_.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&, pitch = bytes.pitch, first = start](
                                       std::int64_t row, std::int64_t column, std::int64_t n) {
      const std::int64_t at = first + row * pitch + column;
      counts[static_cast<std::size_t>(piece)] +=
          count_differing(left.data() + at, right.data() + at, static_cast<std::size_t>(n));
    });
  });
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  return total;
}

Result<std::string> HostOps::check_guards(Buffer& buffer) {
  auto* host = dynamic_cast<HostBuffer*>(&buffer);
  KW_ASSERT(host != nullptr);
  return host->check_guards();
}

}  // namespace kw::device
