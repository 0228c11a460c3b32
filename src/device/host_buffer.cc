// Reads and writes payloads of buffers in host memory, and checks the canaries around them.
// SPDX-License-Identifier: Apache-2.0
#include "device/host_buffer.h"

#include <fmt/format.h>

#include <cstring>

#include "base/rng.h"
#include "device/cuda/exact.cuh"
#include "device/layout.h"

namespace kw::device {
namespace {

std::byte canary_at(std::uint64_t key, std::size_t index) {
  return static_cast<std::byte>(canary_byte(key, index));
}

}  // namespace

Result<> HostBuffer::read(std::int64_t offset, std::span<std::byte> to) const {
  const auto all = payload();
  if (!is_inside(offset, to.size(), all.size()))
    return fail(ErrorCode::OutOfRange, About{"read"},
                "an internal error: a read reaches outside its buffer");
  if (!to.empty()) std::memcpy(to.data(), all.data() + offset, to.size());
  return {};
}

Result<> HostBuffer::write(std::int64_t offset, std::span<const std::byte> from) {
  const auto all = payload();
  if (!is_inside(offset, from.size(), all.size()))
    return fail(ErrorCode::OutOfRange, About{"write"},
                "an internal error: a write reaches outside its buffer");
  if (!from.empty()) std::memcpy(all.data() + offset, from.data(), from.size());
  return {};
}

void HostBuffer::arm_guards() {
  canary_ = Seed::from_os().low;
  const auto front = front_slack();
  const auto back = back_slack();
  for (std::size_t i = 0; i < front.size(); ++i) front[i] = canary_at(canary_, i);
  for (std::size_t i = 0; i < back.size(); ++i) back[i] = canary_at(~canary_, i);
}

std::string HostBuffer::check_guards() {
  const auto front = front_slack();
  const auto back = back_slack();
  for (std::size_t i = front.size(); i > 0; --i)
    if (front[i - 1] != canary_at(canary_, i - 1)) return broken_before(front.size() - i + 1);
  for (std::size_t i = 0; i < back.size(); ++i)
    if (back[i] != canary_at(~canary_, i)) return broken_after(i + 1);
  return {};
}

std::string broken_before(std::uint64_t distance) {
  return fmt::format("byte {} before the beginning of the tensor was overwritten", distance);
}

std::string broken_after(std::uint64_t distance) {
  return fmt::format("byte {} after the end of the tensor was overwritten", distance);
}

}  // namespace kw::device
