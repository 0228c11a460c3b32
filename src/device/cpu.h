// The cpu device: this machine's cores, shared memory, and jailed players.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "device/device.h"
#include "platform/files.h"

namespace kw::device {

struct CpuOptions {
  platform::Path player;  ///< The player executable; empty: kw-player-cpu beside this program.
  int threads = 0;        ///< Threads of the operations; 0: as many as we may use cores.
  int spare_players = 2;  ///< Players kept ready per jail level.
  /// Jail level whose players will be needed; the first players are started at once, in the
  /// background.
  std::optional<JailLevel> expected_jail{};
};

/// Opens this machine as a device: reads the facts and starts the operations' threads. Takes
/// milliseconds and no lease. An error if the player executable is missing.
Result<std::unique_ptr<Device>> open_cpu(const CpuOptions& options = {});

/// Facts about this machine without ceilings: model, usable cores, instruction sets, caches,
/// memory. The id depends on machine and processor, not on the cores that we may use, and survives
/// reboots.
Result<DeviceFacts> read_cpu_facts();

}  // namespace kw::device
