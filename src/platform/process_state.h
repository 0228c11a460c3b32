// State of a Process, shared by subprocess.cc and jail.cc; private to src/platform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "platform/locks.h"
#include "platform/subprocess.h"

namespace kw::platform {

/// One captured output stream of a child process.
struct Stream {
  Fd pipe;  ///< Non-blocking read end; closed at the end of the stream.
  std::string text;
  bool truncated = false;

  /// Reads what is available, keeping up to `cap` bytes in all; true once something was dropped.
  bool take(std::size_t cap);
};

struct Process::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void kill_tree();
  /// Waits for the end of the child, kills the rest of its session, and fills `exit`.
  void reap();
  /// Replaces `exit` by the report of a namespace jail's supervisor, if there was one.
  void finish();

  pid_t pid = 0;
  Fd pidfd;
  pid_t payload_pid = 0;
  Fd payload_pidfd;
  Fd namespace_pidfd;  ///< The first process of a namespace jail.
  /// Our end of the supervisor's socket; closing it ends the jail.
  Fd supervisor;
  uid_t uid = ::getuid();  ///< Uid that the payload runs as.
  /// Lock on the jail's uid, held for as long as the jail may run.
  std::optional<FileLock> uid_slot;
  bool own_session = true;
  bool reaped = false;
  Stream out;
  Stream err;
  std::size_t output_cap = 0;
  bool kill_past_cap = false;
  Exit exit;
};

}  // namespace kw::platform
