// --target and --arch: where candidates run, and for which architecture they are compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"
#include "record/device.h"
#include "record/enums.h"

namespace kw::cli {

struct Aim {
  Target target = Target::Cpu;
  std::string arch;  ///< cuda: the architecture, such as "sm_90a"; empty: the device's own.
};

struct TargetFlags {
  std::string target;
  std::string arch;

  /// Declares --target and, if `has_arch`, --arch, which only commands that compile need.
  void declare(Flags& flags, bool has_arch);
  /// The target and architecture. Without --target, the suffix of `file` decides the target;
  /// without a suffix it is cpu.
  Result<Aim> aim(const std::string& file = {}) const;
};

/// The GPU limits that a launch plan must keep to: those of the known GPU, or else of the weakest
/// GPU with this architecture.
GpuFacts limits_of(const DeviceFacts& known, const std::string& arch);

/// Whether two GPUs are equal in every limit on which launch plans depend.
bool has_same_limits(const GpuFacts& a, const GpuFacts& b);

}  // namespace kw::cli
