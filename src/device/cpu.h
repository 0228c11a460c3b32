// The cpu device: this machine's cores, shared memory and jailed players.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "device/device.h"
#include "platform/files.h"

namespace kw::device {

struct CpuOptions {
  platform::Path player;  ///< The player executable; empty: kw-player-cpu beside this program.
  int threads = 0;        ///< Of the operations; 0: all cores we may use.
  int spare_players = 2;  ///< Kept ready per jail level.
  /// A level whose players will be needed: they are started at once, beside all else.
  std::optional<JailLevel> expected_jail{};
};

/// Opens this machine as a device: reads facts, starts the operations' threads. Milliseconds; takes
/// no lease. An error if the player executable is missing.
Result<std::unique_ptr<Device>> open_cpu(const CpuOptions& options = {});

/// What this machine is, without ceilings: model, usable cores, instruction sets, caches, memory.
/// The id names machine and processor, whatever cores we may use; it survives reboots.
Result<DeviceFacts> read_cpu_facts();

}  // namespace kw::device
