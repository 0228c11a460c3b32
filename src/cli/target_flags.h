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

  /// Declares --target and, for commands that compile (`has_arch`), --arch.
  void declare(Flags& flags, bool has_arch);
  /// The target and architecture; without --target the target follows from the suffix of `file`,
  /// else it is cpu.
  Result<Aim> aim(const std::string& file = {}) const;
};

/// The facts whose limits a plan must keep to: those of `known`, or of the weakest device of the
/// architecture where no device is known.
GpuFacts limits_of(const DeviceFacts& known, const std::string& arch);

/// Whether both allow the same plans.
bool has_same_limits(const GpuFacts& a, const GpuFacts& b);

}  // namespace kw::cli
