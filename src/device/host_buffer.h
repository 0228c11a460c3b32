// A buffer whose payload the referee can address, for the host's operations.
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
  /// Bytes of the mapping outside the payload, which hold canaries.
  virtual std::span<std::byte> front_slack() = 0;
  virtual std::span<std::byte> back_slack() = 0;

  std::int64_t bytes() const final { return static_cast<std::int64_t>(payload().size()); }
  Result<> read(std::int64_t offset, std::span<std::byte> to) const final;
  Result<> write(std::int64_t offset, std::span<const std::byte> from) final;

  /// Fills the slack around the payload with canaries.
  void arm_guards();
  /// Empty if every canary is intact, else words about the broken one.
  std::string check_guards();

 protected:
  /// Takes over the canaries of another buffer, whose memory this buffer has taken over.
  void adopt_canaries(const HostBuffer& other) { canary_ = other.canary_; }

 private:
  std::uint64_t canary_ = 0;
};

/// Words for a broken canary at this distance in bytes from the payload; 1 is the nearest.
std::string broken_before(std::uint64_t distance);
std::string broken_after(std::uint64_t distance);

}  // namespace kw::device
