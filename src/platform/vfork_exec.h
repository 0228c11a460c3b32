// Starts a program in a child; between clone and exec only async-signal-safe work is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <span>

#include "platform/subprocess.h"

namespace kw::platform {

/// Everything that the child needs, prepared beforehand: it shares our memory and must not
/// allocate.
struct ExecRequest {
  const char* program;
  char* const* argv;
  char* const* env;
  const char* cwd;             ///< Working directory; null: ours.
  std::span<const FdMap> fds;  ///< Sorted by target, targets unique, 0–2 included.
  std::span<const ResourceLimit> limits;
  bool new_session;
  bool die_with_parent;
};

/// Value of ExecOutcome::stage where the working directory could not be entered; compared by
/// address.
inline constexpr char kStageCwd[] = "enter";

struct ExecOutcome {
  pid_t pid = 0;
  int error = 0;           ///< errno of the step that failed, 0 if the program runs.
  const char* stage = "";  ///< The step that failed, in words.
};

/// Starts the program in a child that borrows our memory until it execs (clone with CLONE_VM and
/// CLONE_VFORK, as posix_spawn does, but posix_spawn cannot start a session, map descriptors and
/// set limits). On failure the child has been reaped.
ExecOutcome vfork_exec(const ExecRequest& request);

}  // namespace kw::platform
