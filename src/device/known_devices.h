// Public figures of GPUs: the rates that makers state, and what all devices of an architecture
// have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/device.h"

namespace kw::device {

struct KnownDevice {
  std::string_view model;  ///< Name in the driver.
  std::string_view arch;   ///< "sm_90a"
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  int memory_gb = 0;  ///< As the data sheet says, in 10^9 bytes.
  DatasheetRates rates;
};

/// Devices by architecture, then by model. Rates are dense, without sparsity, at the boost clock.
std::span<const KnownDevice> known_devices();

/// The device of this model; null: not in the table. A slice of a device (MIG) is not in the table,
/// since it has less of everything.
const KnownDevice* find_known_device(std::string_view model);

/// Architectures that candidates may be compiled for, oldest first. A toolkit may know fewer of
/// them.
const std::vector<std::string>& known_archs();

/// Whether a cubin for `arch` runs on a device of architecture `device`: the major versions must be
/// equal and the minor not above the device's; a cubin for a specific architecture (sm_90a) runs on
/// that architecture only.
bool runs_on(std::string_view arch, std::string_view device);

/// Limits of one block and one multiprocessor of a listed architecture (CUDA C++ Programming Guide
/// 13.0, "Technical Specifications per Compute Capability"), with the fewest multiprocessors and
/// the smallest L2 of its devices in the table: for plans where no device is present.
GpuFacts least_facts(std::string_view arch);

/// The least memory in bytes of the architecture's devices in the table: what a workload may count
/// on where no device is present. For an architecture without a device there, 16 GB.
std::int64_t least_memory(std::string_view arch);

/// The devices of the architecture that are in the table; "sm_90" and "sm_90a" name the same ones.
std::vector<const KnownDevice*> devices_of(std::string_view arch);

}  // namespace kw::device
