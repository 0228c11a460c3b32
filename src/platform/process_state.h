// What a Process knows; shared by subprocess.cc and jail.cc, private to the platform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "platform/locks.h"
#include "platform/subprocess.h"

namespace kw::platform {

/// One captured stream.
struct Stream {
  Fd pipe;  ///< Non-blocking read end; closed at the end of the stream.
  std::string text;
  bool truncated = false;

  /// Reads what is there, keeping up to `cap` bytes in all; true once something was dropped.
  bool take(std::size_t cap);
};

struct Process::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void kill_tree();
  /// Blocks until the child has ended, ends what is left of its session, and fills `exit`.
  void reap();
  /// Replaces `exit` by what the supervisor inside a namespace jail reported, if it did.
  void finish();

  pid_t pid = 0;
  Fd pidfd;
  pid_t payload_pid = 0;
  Fd payload_pidfd;
  Fd namespace_pidfd;                ///< The first process of a namespace jail.
  Fd supervisor;                     ///< Our end of its socket; closing it ends the jail.
  uid_t uid = ::getuid();            ///< Of the payload.
  std::optional<FileLock> uid_slot;  ///< The jail's uid, ours for as long as it may run.
  bool own_session = true;
  bool reaped = false;
  Stream out;
  Stream err;
  std::size_t output_cap = 0;
  bool kill_past_cap = false;
  Exit exit;
};

}  // namespace kw::platform
