// A buffer whose payload the referee can address directly: what the host's operations work on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/device.h"

namespace kw::device {

class HostBuffer : public Buffer {
 public:
  virtual std::span<std::byte> payload() = 0;
  virtual std::span<const std::byte> payload() const = 0;
  /// Bytes that belong to the mapping but not to the payload; they hold canaries.
  virtual std::span<std::byte> front_slack() = 0;
  virtual std::span<std::byte> back_slack() = 0;

  std::int64_t bytes() const final { return static_cast<std::int64_t>(payload().size()); }
  Result<> read(std::int64_t offset, std::span<std::byte> to) const final;
  Result<> write(std::int64_t offset, std::span<const std::byte> from) final;

  /// Fills the slack with its canaries.
  void arm_guards();
  /// Empty if every canary is whole, else words.
  std::string check_guards();

 protected:
  /// Of memory that was armed as another buffer's.
  void adopt_canaries(const HostBuffer& other) { canary_ = other.canary_; }

 private:
  std::uint64_t canary_ = 0;
};

/// Words for a broken canary: its distance in bytes from the payload, 1 for the nearest.
std::string broken_before(std::uint64_t distance);
std::string broken_after(std::uint64_t distance);

}  // namespace kw::device
