// The checks of kw doctor; each gives one line of output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/options.h"

namespace kw::session {

enum class Health {
  Good,
  NotNeeded,  ///< Missing, but not needed on cpu.
  Poor,       ///< Something works less well.
  Broken,     ///< Judging on cpu cannot work.
};

struct CheckUp {
  std::string what;
  Health health = Health::Good;
  std::string found;
  std::string cost;  ///< What cannot be done because of the lack; empty: nothing.
  std::string fix;   ///< What the user should do; empty: nothing.
};

/// Names of the lines of kw doctor that decide whether kernels for target cuda can be judged and
/// compiled.
inline constexpr std::string_view kGpuLine = "GPU";
inline constexpr std::string_view kNvrtcLine = "nvrtc";
inline constexpr std::string_view kCompilerLine = "compiler";
/// Beginning of the names of the lines of kw doctor about the jail's levels.
inline constexpr std::string_view kJailLines = "jail ";

/// Checks compiler, jail, libraries, folders, store, clock, cores and load. Starts a few short
/// processes and watches the load for 0.2 s; changes no existing file.
std::vector<CheckUp> examine(const Options& options);

}  // namespace kw::session
