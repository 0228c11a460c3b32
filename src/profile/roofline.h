// Where a timed workload stands under the measured ceilings. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/device.h"
#include "record/evaluation.h"
#include "record/task.h"

namespace kw::profile {

/// What the caches held when a timed call began.
enum class Caches {
  Cold,  ///< Flushed: every byte of the tensors comes from memory once.
  Warm,  ///< The tensors stay in the nearest level that holds them all.
};

/// Bytes per second that this device reaches at a level for a mix of reads and writes with all its
/// threads: linear in the share of reads between the two nearest measured mixes.
struct MixCeiling {
  double per_second = 0;
  std::string words;  ///< "DRAM read:write 3:1, 2 threads" or, between two, "… (between … and …)".
};
std::optional<MixCeiling> memory_ceiling(const DeviceFacts& facts, const std::string& level,
                                         double reads);

/// The nearest level whose caches hold `bytes` for all threads (at most 0.8 of them, as halves of
/// other data are always there), else "DRAM".
std::string level_for(const DeviceFacts& facts, std::int64_t bytes);

/// The type that the task computes in: the widest real type of its outputs; f32 if it has none.
Dtype compute_dtype(const Workload& workload);

/// The nominal work of one call against the device's ceilings.
///
/// Memory time: when cold, nominal traffic up to the size of the tensors at the DRAM ceiling of the
/// workload's own read:write mix, and the rest (reuse between steps) at the ceiling of the level
/// that holds them. Compute time: nominal flops at the FMA peak of the widest vectors. The longer
/// of the two binds; `fraction` is it divided by `median_ns`. Bound is Launch where the call is too
/// short for threads to be worth starting, Latency where neither ceiling is near, Unknown without
/// ceilings, work or time.
RooflinePosition position(const Workload& workload, double median_ns, const DeviceFacts& facts,
                          Caches caches = Caches::Cold);

/// Above its ceiling by more than the ceiling's noise: the ceiling has to be measured again. If it
/// stays above, the kernel moves fewer bytes than the nominal count (temporal blocking, reuse).
bool needs_remeasuring(const RooflinePosition& position);

/// Fills items_per_s, flops_per_s, bytes_per_s and arithmetic_intensity from the nominal work and
/// median_ns; zeros where there is no time or no work.
void fill_rates(WorkloadResult& result, const Work& work);

}  // namespace kw::profile
