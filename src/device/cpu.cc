// Assembles the cpu device from its parts: facts, buffers, operations, players.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "device/cache_lines.h"
#include "device/cpu_buffer.h"
#include "device/cpu_player.h"
#include "device/host_ops.h"
#include "device/player_files.h"
#include "device/player_pool.h"
#include "device/probe.h"
#include "record/task.h"

namespace kw::device {
namespace {

/// Bytes of memory left to everything else on the machine.
constexpr std::int64_t kMemoryMargin = std::int64_t{1} << 30;
/// Bytes that one thread evicts at a time, which takes tens of microseconds.
constexpr std::int64_t kEvictionPiece = std::int64_t{1} << 20;

CpuBuffer& mine(Buffer& buffer) {
  auto* cpu = dynamic_cast<CpuBuffer*>(&buffer);
  KW_ASSERT(cpu != nullptr);
  return *cpu;
}

class CpuDevice final : public Device {
 public:
  CpuDevice(DeviceFacts facts, PlayerFiles files, const CpuOptions& options)
      : facts_(std::move(facts)),
        files_(std::move(files)),
        parallel_(options.threads > 0 ? options.threads : facts_.cores),
        ops_(parallel_),
        pool_({.program = options.player,
               .threads = facts_.cores,
               .spare = options.spare_players,
               .expected = options.expected_jail,
               .readable = files_.paths(),
               .exclusion = &alone_}) {}

  const DeviceFacts& facts() const override { return facts_; }
  BufferOps& ops() override { return ops_; }

  Result<std::unique_ptr<Buffer>> allocate(const BufferSpec& spec) override {
    return KW_TRY(CpuBuffer::allocate(spec, parallel_));
  }

  Result<> flush(std::span<Buffer* const> buffers) override;
  Result<std::unique_ptr<Player>> start_player(const PlayerSpec& spec) override;

  Result<bool> probe() override { return probe_by_computing(*this); }

  std::int64_t free_bytes() const override {
    const auto text = platform::read_file("/proc/meminfo");
    std::int64_t kib = 0;
    if (text.has_value()) {
      const auto at = text->find("MemAvailable:");
      if (at != std::string::npos) {
        const char* digit = text->data() + at + std::strlen("MemAvailable:");
        while (*digit == ' ') ++digit;
        std::from_chars(digit, text->data() + text->size(), kib);
      }
    }
    const std::int64_t available = kib > 0 ? kib << 10 : facts_.memory_bytes / 2;
    return std::max<std::int64_t>(0, available - kMemoryMargin);
  }

 private:
  DeviceFacts facts_;
  PlayerFiles files_;  ///< Must live as long as there are players.
  Parallel parallel_;
  HostOps ops_;
  std::mutex alone_;  ///< The mutex of CpuPlayer::Setup; the pool is destroyed first.
  PlayerPool pool_;
};

Result<> CpuDevice::flush(std::span<Buffer* const> buffers) {
  for (Buffer* buffer : buffers) {
    const auto bytes = std::as_const(mine(*buffer)).payload();
    const auto size = static_cast<std::int64_t>(bytes.size());
    parallel_.for_each((size + kEvictionPiece - 1) / kEvictionPiece, [&](std::int64_t piece) {
      const std::int64_t at = piece * kEvictionPiece;
      evict(bytes.subspan(static_cast<std::size_t>(at),
                          static_cast<std::size_t>(std::min(kEvictionPiece, size - at))));
    });
  }
  return {};
}

Result<std::unique_ptr<Player>> CpuDevice::start_player(const PlayerSpec& spec) {
  CpuPlayer::Setup setup;
  setup.name = spec.name;
  setup.memory_bytes = spec.memory_bytes > 0 ? spec.memory_bytes : kDefaultWorkspaceBytes;
  setup.threads = spec.threads > 0 ? spec.threads : facts_.cores;
  setup.alone = &alone_;
  setup.writable = spec.writable;
  for (Buffer* buffer : spec.buffers) {
    setup.buffers.push_back(&mine(*buffer));
    KW_ASSERT(setup.buffers.back()->is_shared());
  }
  auto blank = KW_TRY(pool_.take(spec.jail));
  return KW_TRY(CpuPlayer::prepare(std::move(blank), setup));
}

}  // namespace

Result<std::unique_ptr<Device>> open_cpu(const CpuOptions& options) {
  CpuOptions resolved = options;
  if (resolved.player.empty())
    resolved.player = KW_TRY(platform::executable_dir()) / "kw-player-cpu";
  std::error_code trouble;
  if (!std::filesystem::exists(resolved.player, trouble))
    return fail(
        ErrorCode::MissingProgram, About{"kw-player"},
        "the program kw-player, which runs candidates, is missing; it belongs into the folder of "
        "kw",
        resolved.player.string(), Advice::Stop);
  auto facts = KW_TRY(read_cpu_facts());
  auto files = KW_TRY(PlayerFiles::open(resolved.player));
  return std::unique_ptr<Device>(
      std::make_unique<CpuDevice>(std::move(facts), std::move(files), resolved));
}

}  // namespace kw::device
