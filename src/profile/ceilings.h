// Measures what a device can reach; of a processor bytes per second by mix, level and threads, and
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

namespace kw::profile {

enum class Effort {
  Quick,  ///< About 0.5 s, on a busy machine at most some 4 s: all threads, every level, widest
          ///< FMA. For the first judgement.
  Full,   ///< About 10 s: one thread too, every vector width, more samples. For `kw device`. The
          ///< same points on a GPU, in about 3 s.
};

/// Measures the device's ceilings: on a processor by kernels in this process, on a GPU through
/// Device::run_trusted, which must have been equipped with ceiling_units()
/// (cuda_ceilings.h).
Result<CeilingReport> measure_ceilings(device::Device& device, Effort effort);

/// Measures with trusted kernels in this process, on threads pinned to the processors that it may
/// use; facts.cores and facts.caches say where. Call it with the device's lease held exclusively.
/// Points that are implausible or spread too much are measured once more; what is implausible then
/// is refused. Allocates up to four times the last-level cache. Error: no memory.
Result<CeilingReport> measure_ceilings(const DeviceFacts& facts, Effort effort);

/// One thing to measure on a processor.
struct CeilingPoint {
  std::string kind;   ///< copy, mix_3r1w, triad, read, write; of FMA the type.
  std::string level;  ///< L1, L2, L3, DRAM; "core" for FMA.
  std::string isa;    ///< FMA only.
  int threads = 1;
};

/// What measure_ceilings() measures there, what a roofline needs most first.
std::vector<CeilingPoint> points_of(const DeviceFacts& facts, Effort effort);

/// Bytes that all threads together should touch to measure `level` (L1, L2, L3, DRAM): half of the
/// caches of that level that `threads` can reach, or several times the last; 0 if there is none.
std::int64_t footprint_for(const DeviceFacts& facts, const std::string& level, int threads);

}  // namespace kw::profile
