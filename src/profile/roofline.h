// Places a timed workload under the measured ceilings. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/device.h"
#include "record/evaluation.h"
#include "record/plan.h"
#include "record/task.h"

namespace kw::profile {

/// What the caches held when a timed call began.
enum class Caches {
  Cold,  ///< Flushed: every byte of the tensors comes from memory once.
  Warm,  ///< The tensors stay in the nearest level that holds them all.
};

/// Facts about a timed call besides its workload. Borrowed for the call.
struct CallFacts {
  Caches caches = Caches::Cold;
  GateKind gate = GateKind::Relative;  ///< `dot` tasks may use matrix units.
  const Plan* plan = nullptr;          ///< cuda: what the call launched.
};

/// Bytes per second that all threads of this device reach together at a memory level for a mix of
/// reads and writes: linear in the share of reads between the two nearest measured mixes.
struct MixCeiling {
  double per_second = 0;
  std::string words;  ///< "DRAM read:write 3:1, 2 threads" or, between two, "… (between … and …)".
};
std::optional<MixCeiling> memory_ceiling(const DeviceFacts& facts, const std::string& level,
                                         double reads);

/// The nearest level whose caches hold `bytes` for all threads (in at most 0.8 of their size,
/// because other data are always there), else "DRAM". On a GPU "L2" up to half of its size, because
/// each of its halves may keep a copy of what the other holds.
std::string level_for(const DeviceFacts& facts, std::int64_t bytes);

/// The type that the task computes in: the widest real type of its outputs; f32 if it has none.
Dtype compute_dtype(const Workload& workload);

/// Operations per second of the unit that this workload can be computed on fastest.
struct ComputeCeiling {
  double per_second = 0;
  std::string words;  ///< "fma f32 avx512, 2 threads", "mma bf16 sm_90a".
  bool is_matrix_unit = false;
};

/// On a processor the FMA peak of the widest vectors in the outputs' type. On a GPU by type and
/// gate: a `dot` task whose real inputs are all f16 or bf16 has the matrix units of that type; all
/// else has FMA in the outputs' type, in pairs for the 16-bit ones.
std::optional<ComputeCeiling> compute_ceiling(const Workload& workload, const DeviceFacts& facts,
                                              GateKind gate);

/// The rate that a `dot` task in f32 may reach beyond compute_ceiling() on a GPU: a third of tf32's
/// rate, because three products of tf32 give one of f32 within the task's gates (3xTF32). Nothing
/// for other tasks, and where this rate lies below that of FMA.
std::optional<ComputeCeiling> matrix_ceiling(const Workload& workload, const DeviceFacts& facts,
                                             GateKind gate);

/// Places the nominal work of one call under the device's ceilings.
///
/// Memory time: when cold, nominal traffic up to the size of the tensors at the DRAM ceiling of the
/// workload's own read:write mix, and the rest (reuse between steps) at the ceiling of the level
/// that holds the tensors. Compute time: nominal flops at compute_ceiling(). The longer of the two
/// binds; `fraction` is the longer one divided by `median_ns`. Bound is Launch where the call is
/// too short for threads to be worth starting, or where a plan's launches alone would take half of
/// its time; Latency where neither ceiling is near, Unknown without ceilings, work or time.
RooflinePosition position(const Workload& workload, double median_ns, const DeviceFacts& facts,
                          const CallFacts& call = {});

/// Whether the call is above its ceiling by more than the ceiling's noise, so that the ceiling has
/// to be measured again. A call that stays above its ceiling uses matrix units (products of f32),
/// or moves fewer bytes than the nominal count (temporal blocking, reuse).
bool needs_remeasuring(const RooflinePosition& position);

/// Fills items_per_s, flops_per_s, bytes_per_s and arithmetic_intensity from the nominal work and
/// median_ns; zeros where there is no time or no work.
void fill_rates(WorkloadResult& result, const WorkPerCall& work);

}  // namespace kw::profile
