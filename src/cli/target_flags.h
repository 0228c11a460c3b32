// --target and --arch: where candidates run, and for which architecture they are compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"
#include "session/aim.h"

namespace kw::cli {

using session::Aim;

struct TargetFlags {
  std::string target;
  std::string arch;

  /// Declares --target and, if `has_arch`, --arch, which only commands that compile need.
  void declare(Flags& flags, bool has_arch);
  /// The target and architecture. Without --target, the suffix of `file` decides the target;
  /// without a suffix it is cpu.
  Result<Aim> aim(const std::string& file = {}) const;
};

}  // namespace kw::cli
