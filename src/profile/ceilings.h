// Measures what a device can reach: for a processor bytes per second by mix, level and threads, and
// FMA peaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "profile/ceiling_report.h"
#include "record/device.h"
#include "record/target.h"

namespace kw::profile {

enum class Effort {
  /// For the first judgement: all threads, every level, and FMA of the widest vectors. Takes about
  /// 0.5 s, on a busy machine some 4 s at most.
  Quick,
  /// For `kw device`: one thread too, every vector width, and more samples. Takes about 10 s; on a
  /// GPU, where the points are those of Quick, about 3 s.
  Full,
};

/// Measures the ceilings of devices of one target.
using CeilingMeter = Result<CeilingReport> (*)(device::Device& device, Effort effort);
ByTarget<CeilingMeter>& ceiling_meters();

/// Measures the device's ceilings: on a processor by kernels in this process, on a GPU through
/// Device::run_trusted, which must have been equipped with ceiling_units()
/// (cuda_ceilings.h).
Result<CeilingReport> measure_ceilings(device::Device& device, Effort effort);

/// Measures with trusted kernels in this process, on threads pinned to the processors that it may
/// use. facts.cores and facts.caches say how many threads and bytes each level needs. Call it with
/// the device's lease held exclusively. Points that are implausible or spread too much are measured
/// once more; points that are still implausible are refused. Allocates up to four times the
/// last-level cache. Error: no memory.
Result<CeilingReport> measure_ceilings(const DeviceFacts& facts, Effort effort);

/// One thing to measure on a processor.
struct CeilingPoint {
  std::string kind;   ///< copy, mix_3r1w, triad, read, write; of FMA the type.
  std::string level;  ///< L1, L2, L3, DRAM; "core" for FMA.
  std::string isa;    ///< FMA only.
  int threads = 1;
};

/// The points that measure_ceilings() measures on a processor; those that a roofline needs most
/// come first.
std::vector<CeilingPoint> points_of(const DeviceFacts& facts, Effort effort);

/// Bytes that all threads together should touch to measure `level` (L1, L2, L3, DRAM): half of the
/// caches of that level that `threads` can reach, or for DRAM several times the last cache; 0 if
/// there is no such level.
std::int64_t footprint_for(const DeviceFacts& facts, const std::string& level, int threads);

}  // namespace kw::profile
