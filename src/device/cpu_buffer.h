// Memory between guard pages: shared with players through a memfd, or private to the referee.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/host_buffer.h"
#include "device/parallel.h"
#include "platform/files.h"
#include "player/mapping.h"
#include "player/protocol.h"

namespace kw::device {

/// Unmapped addresses on either side of a buffer, in referee and players: stray accesses up to this
/// distance fault.
inline constexpr std::size_t kGuardBytes = std::size_t{64} << 20;

class HugePages;

class CpuBuffer final : public HostBuffer {
 public:
  /// Allocates a buffer and populates its memory, which the threads of `parallel` share: takes 0.15
  /// ms for 1 MiB on two threads.
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
  /// What a player needs to map the buffer; the descriptor still belongs to the buffer.
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
  platform::Fd fd_;  ///< Descriptor of shared memory.
  /// Read-only descriptor: a mapping made through it cannot be made writable.
  platform::Fd read_only_;
  player::GuardedMapping mapping_;
  std::size_t offset_ = 0;
};

}  // namespace kw::device
