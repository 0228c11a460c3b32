// Whether a measured time is possible at all on this device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "record/device.h"
#include "record/evidence.h"
#include "record/task.h"

namespace kw::referee {

/// The least time in which any algorithm could do the workload's floor work on this device, in ns;
/// nothing while no rates are known. There is no datasheet of a CPU in this machine's settings, so
/// the limits are 1.5 × the best measured ceiling of any kind, thread count and level; bytes beyond
/// the size of the last-level cache must in addition come from memory, since calls are timed cold.
/// For a GPU the limits are the rates of the datasheet, of whichever unit is fastest, and what the
/// clock and width of the memory bus make if that is more. For a GPU that the table of devices
/// lacks, clocks and bus give both limits.
std::optional<double> compute_least_ns(const Workload& workload, const DeviceFacts& facts);

/// Says by how much `median_ns` is below the least time; nothing if plausible or unknown. On a CPU
/// the time `trusted_ns` of trusted code shows what the machine reaches today as well as a ceiling
/// does, and gets the same factor; 0: no trusted code was timed. Before relying on the answer, the
/// caller should measure the ceilings again: they may be too low.
std::optional<Evidence> find_implausible(const Workload& workload, double median_ns,
                                         const DeviceFacts& facts, double trusted_ns = 0);

}  // namespace kw::referee
