// Aim: where candidates run, and for which architecture they are compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/device.h"
#include "record/enums.h"

namespace kw::session {

struct Aim {
  Target target = kDefaultTarget;
  std::string arch;  ///< cuda: the architecture, such as "sm_90a"; empty: the device's own.
};

/// The GPU architectures for which kernels can be compiled, oldest first.
const std::vector<std::string>& known_archs();

/// The GPU limits that a launch plan must keep to: those of the known GPU, or else of the weakest
/// GPU with this architecture.
GpuFacts limits_of(const DeviceFacts& known, const std::string& arch);

/// Whether two GPUs are equal in every limit on which launch plans depend.
bool has_same_limits(const GpuFacts& a, const GpuFacts& b);

}  // namespace kw::session
