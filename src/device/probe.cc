// Tests a device by a computation whose expected values come from integers that never pass through
// the tested memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/probe.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kw::device {
namespace {

constexpr auto kCount = static_cast<std::size_t>(kProbeElements);
constexpr std::int64_t kFactor = 3;
/// Index of the element that is made wrong: far from both ends, where a mistake in a loop's bounds
/// could hide it.
constexpr std::size_t kWrongElement = kCount / 3;

Tensor vector_of_floats() {
  Tensor t;
  t.name = "probe";
  t.dtype = Dtype::F32;
  t.sizes = {kProbeElements};
  t.pitch = kProbeElements;
  return t;
}

/// Element i of x: a scattered integer, three times which is exact in float32.
std::int64_t known(std::size_t i) { return static_cast<std::int64_t>(i * 40503 % 65521) - 32760; }

/// Whether the buffer returns what is written to it, for both values of every bit.
Result<bool> holds_bits(Buffer& buffer) {
  for (const std::byte pattern : {std::byte{0}, std::byte{0xff}}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.bytes()), pattern);
    KW_TRY(buffer.write(0, bytes));
    std::ranges::fill(bytes, ~pattern);
    KW_TRY(buffer.read(0, bytes));
    if (!std::ranges::all_of(bytes, [&](std::byte b) { return b == pattern; })) return false;
  }
  return true;
}

/// Puts a x + 1 into `values`, computed from the x that the buffer returns, and into `truth`,
/// computed from the integers. Returns the sum of the values in `truth`.
Result<std::int64_t> compute(Buffer& values, Buffer& truth) {
  std::vector<float> y(kCount);
  std::vector<double> want(kCount);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    y[i] = static_cast<float>(known(i));
    want[i] = static_cast<double>(kFactor * known(i) + 1);
    sum += kFactor * known(i) + 1;
  }
  KW_TRY(values.write(0, std::as_bytes(std::span(y))));
  KW_TRY(values.read(0, std::as_writable_bytes(std::span(y))));
  for (float& element : y) element = static_cast<float>(kFactor) * element + 1;
  KW_TRY(values.write(0, std::as_bytes(std::span(y))));
  KW_TRY(truth.write(0, std::as_bytes(std::span(want))));
  return sum;
}

}  // namespace

Result<bool> computes_correctly(BufferOps& ops, Buffer& values, Buffer& truth) {
  if (!KW_TRY(holds_bits(values)) || !KW_TRY(holds_bits(truth))) return false;
  const auto sum = static_cast<double>(KW_TRY(compute(values, truth)));
  const Tensor tensor = vector_of_floats();
  const auto compare = [&] {
    return ops.compare(values, truth, nullptr, tensor, {{{0, kProbeElements}}}, {.exact = true},
                       {});
  };
  const Comparison right = KW_TRY(compare());
  if (right.compared != kProbeElements || right.failed != 0 || right.sum_got != sum ||
      right.sum_want != sum)
    return false;
  const auto wrong = static_cast<float>(kFactor * known(kWrongElement) + 2);
  KW_TRY(values.write(kWrongElement * sizeof wrong, std::as_bytes(std::span(&wrong, 1))));
  const Comparison seen = KW_TRY(compare());
  return seen.failed == 1 && seen.first.size() == 1 &&
         seen.first[0].at == std::vector{static_cast<std::int64_t>(kWrongElement)};
}

Result<bool> probe_by_computing(Device& device) {
  const auto allocate = [&](std::int64_t element_bytes) {
    return device.allocate(
        {.name = "probe", .bytes = kProbeElements * element_bytes, .shared = false});
  };
  auto values = allocate(sizeof(float));
  auto truth = allocate(sizeof(double));
  // An error to retry means that the device is lost, which no free memory can change.
  for (const auto* buffer : {&values, &truth})
    if (!*buffer && buffer->error().advice == Advice::Retry)
      return std::unexpected(buffer->error());
    else if (!*buffer)
      return fail(ErrorCode::NoMemory, About{"probe"},
                  "too little memory to see whether the device computes correctly (" +
                      buffer->error().what + "); free some and try again",
                  device.facts().model, Advice::Retry);
  return computes_correctly(device.ops(), **values, **truth);
}

}  // namespace kw::device
