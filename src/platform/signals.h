// SignalGuard: the first Ctrl-C asks the program to finish, the second ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "platform/files.h"

namespace kw::platform {

/// While it lives, the first SIGINT or SIGTERM sets a flag and restores the default action, so that
/// the second ends the process. At most one at a time; children started by spawn() are not
/// affected.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  bool is_interrupted() const;
  /// Becomes readable with the first signal, for poll(); never read it.
  int fd() const { return event_.get(); }

 private:
  Fd event_;
  struct sigaction old_int_{};
  struct sigaction old_term_{};
};

}  // namespace kw::platform
