// Memory between guard pages: in a memfd that referee and players map alike, or the referee's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/host_buffer.h"
#include "device/parallel.h"
#include "platform/files.h"
#include "player/mapping.h"
#include "player/protocol.h"

namespace kw::device {

/// Unmapped addresses on either side of a buffer, in referee and players: catches strays of up to
/// this distance.
inline constexpr std::size_t kGuardBytes = std::size_t{64} << 20;

class HugePages;

class CpuBuffer final : public HostBuffer {
 public:
  /// With its memory at hand, which `parallel` shares the work of: 0.15 ms for 1 MiB on two
  /// threads.
  static Result<std::unique_ptr<CpuBuffer>> allocate(const BufferSpec& spec, Parallel& parallel);
  Result<> renew() override;
  CpuBuffer(const CpuBuffer&) = delete;
  CpuBuffer& operator=(const CpuBuffer&) = delete;
  ~CpuBuffer() override;

  std::span<std::byte> payload() override { return {mapping_.mapped + offset_, size()}; }
  std::span<const std::byte> payload() const override {
    return {mapping_.mapped + offset_, size()};
  }
  std::span<std::byte> front_slack() override { return {mapping_.mapped, offset_}; }
  std::span<std::byte> back_slack() override {
    return {mapping_.mapped + offset_ + size(), mapping_.mapped_bytes - offset_ - size()};
  }

  bool is_shared() const { return spec_.shared; }
  /// What a player needs to map it; the descriptor stays ours.
  player::MapEntry map_entry(bool writable) const;
  int descriptor(bool writable) const { return writable ? fd_.get() : read_only_.get(); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(spec_.bytes); }
  static Result<std::unique_ptr<CpuBuffer>> allocate(const BufferSpec& spec, Parallel& parallel,
                                                     HugePages& pages);
  CpuBuffer(const BufferSpec& spec, Parallel& parallel) : spec_(spec), parallel_(parallel) {}
  Result<> make_descriptors(const std::string& name, std::size_t bytes);

  BufferSpec spec_;
  Parallel& parallel_;
  platform::Fd fd_;         ///< Of shared memory only.
  platform::Fd read_only_;  ///< A mapping made through it cannot be made writable.
  player::GuardedMapping mapping_;
  std::size_t offset_ = 0;
};

}  // namespace kw::device
