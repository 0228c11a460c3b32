// Measures what this processor can reach: bytes per second by mix, level and threads; FMA peaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/device.h"

namespace kw::profile {

enum class Effort {
  Quick,  ///< About 0.5 s, on a busy machine at most some 4 s: all threads, every level, widest
          ///< FMA. For the first judgement.
  Full,   ///< About 10 s: one thread too, every vector width, more samples. For `kw device`.
};

/// Ceilings that are fit to be stored, and what was refused with the reason.
struct CeilingReport {
  std::vector<Ceiling> ceilings;
  std::vector<std::string> refused;     ///< Whole sentences.
  std::vector<std::string> unreliable;  ///< Kept although they spread by more than kMaxSpread.
  double elapsed_ns = 0;
};

/// Measures with trusted kernels in this process, on threads pinned to the processors that it may
/// use; facts.cores and facts.caches say where. Call it with the device's lease held exclusively.
/// Points that are implausible or spread too much are measured once more; what is implausible then
/// is refused. Allocates up to four times the last-level cache. Error: no memory.
Result<CeilingReport> measure_ceilings(const DeviceFacts& facts, Effort effort);

/// Bytes that all threads together should touch to measure `level` (L1, L2, L3, DRAM): half of the
/// caches of that level that `threads` can reach, or several times the last; 0 if there is none.
std::int64_t footprint_for(const DeviceFacts& facts, const std::string& level, int threads);

}  // namespace kw::profile
