// --target and --arch: where candidates run and what they are compiled for.
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
  std::string arch;  ///< cuda: "sm_90a"; empty: the device's.
};

struct TargetFlags {
  std::string target;
  std::string arch;

  /// `has_arch`: for commands that compile.
  void declare(Flags& flags, bool has_arch);
  /// What is asked for; without --target what the suffix of `file` says, else cpu.
  Result<Aim> aim(const std::string& file = {}) const;
};

/// The facts whose limits a plan must keep to: those of `known`, or of the weakest device of the
/// arch where no device is known.
GpuFacts limits_of(const DeviceFacts& known, const std::string& arch);

/// Whether the same plans fit both.
bool has_same_limits(const GpuFacts& a, const GpuFacts& b);

}  // namespace kw::cli
