// Decides which measured ceilings are kept, measured again, or refused. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "record/device.h"

namespace kw::profile {

/// Ceilings that are fit to be stored, and the refused ones with their reasons.
struct CeilingReport {
  std::vector<Ceiling> ceilings;
  std::vector<std::string> refused;     ///< One sentence for each ceiling that was refused.
  std::vector<std::string> unreliable;  ///< Kept although they spread by more than kMaxSpread.
  double elapsed_ns = 0;
};

/// Indices of the ceilings that contradict physics or other ceilings, or that spread too much: they
/// are to be measured once more. `gpu` as in implausible().
std::vector<std::size_t> to_measure_again(std::span<const Ceiling> found, const GpuFacts* gpu);

/// Drops ceilings without samples, refuses those that are still implausible, and names those that
/// are unreliable.
CeilingReport report_of(std::vector<Ceiling> found, const GpuFacts* gpu);

}  // namespace kw::profile
