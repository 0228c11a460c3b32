// Public figures of GPUs: what their makers say they reach, and what every device of an arch has.
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
  std::string_view model;  ///< As the driver names it.
  std::string_view arch;   ///< "sm_90a"
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  DatasheetRates rates;
};

/// By arch, then by model. Rates are dense, without sparsity, at the boost clock.
std::span<const KnownDevice> known_devices();

/// The device of this model; a slice of it (MIG) has fewer of everything and is none. Null: not in
/// the table.
const KnownDevice* find_known_device(std::string_view model);

/// Archs that candidates may be compiled for, oldest first. Which of them a toolkit knows, it says.
const std::vector<std::string>& known_archs();

/// Whether a cubin for `arch` runs on a device of arch `device`: same major version, minor not
/// above the device's; an arch-specific one (sm_90a) on that very device alone.
bool runs_on(std::string_view arch, std::string_view device);

/// Limits of one block and one multiprocessor of an arch of the list (CUDA C++ Programming Guide
/// 13.0, "Technical Specifications per Compute Capability"), and the fewest multiprocessors and the
/// smallest L2 of its devices in the table: for plans where no device is at hand.
GpuFacts least_facts(std::string_view arch);

}  // namespace kw::device
