// Trusted kernels that a worker's device and measurements need and that must be compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/compiler.h"
#include "record/candidate.h"
#include "record/device.h"

namespace kw::worker {

/// Units for the device's own operations and for its ceilings; none on cpu.
std::vector<BuildUnit> equipment(const DeviceFacts& facts);

/// Builds the units of equipment(). A unit that does not compile is an error with its first
/// diagnostic.
Result<std::vector<BuildUnit>> build_equipment(const DeviceFacts& facts,
                                               compile::Compiler& compiler, int threads);

}  // namespace kw::worker
