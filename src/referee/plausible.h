// Whether a measured time is possible at all on this device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/device.h"
#include "record/task.h"

namespace kw::referee {

/// The least time in which any algorithm could do the workload's floor work on this device, in ns;
/// nothing while no rates are known. There is no datasheet for a CPU in this machine's settings,
/// so the limits are 1.5 × the best measured ceiling of any kind, thread count and level; bytes
/// that exceed the last-level cache must in addition come from memory, since calls are timed cold.
/// On a GPU they are the rates of its datasheet, of whichever unit is fastest, or what its clocks
/// and bus make at most where that is more or the device is not in the table.
std::optional<double> compute_least_ns(const Workload& workload, const DeviceFacts& facts);

/// Words saying by how much `median_ns` is below the least time; nothing if plausible or unknown.
/// On a CPU trusted code that did the work in `trusted_ns` shows what the machine reaches today as
/// well as a ceiling does, and gets the same factor; 0: none did.
/// Whoever asks should first measure the ceilings again: they may be too low.
std::optional<std::string> find_implausible(const Workload& workload, double median_ns,
                                            const DeviceFacts& facts, double trusted_ns = 0);

}  // namespace kw::referee
