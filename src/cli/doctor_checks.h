// What kw doctor looks at, one finding per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace kw::cli {

enum class Health {
  Good,
  NotNeeded,  ///< Missing, and nothing on cpu misses it.
  Poor,       ///< Works with less.
  Broken,     ///< Cpu judging cannot work.
};

struct CheckUp {
  std::string what;
  Health health = Health::Good;
  std::string found;
  std::string cost;  ///< What its absence costs; empty where nothing.
  std::string fix;   ///< What to do; empty where nothing.
};

/// The lines that say whether target cuda can be judged and compiled for.
inline constexpr std::string_view kGpuLine = "GPU";
inline constexpr std::string_view kNvrtcLine = "nvrtc";
inline constexpr std::string_view kCompilerLine = "compiler";
/// How the lines of all levels of the jail begin.
inline constexpr std::string_view kJailLines = "jail ";

/// Looks at compiler, jail, libraries, folders, store, clock, cores and load. Starts a few short
/// processes and watches the load for 0.2 s; changes nothing that was there.
std::vector<CheckUp> examine(const Global& global);

}  // namespace kw::cli
