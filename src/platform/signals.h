// SignalGuard: the first Ctrl-C asks the program to finish, the second ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

#include "platform/files.h"

namespace kw::platform {

/// While it lives, the first SIGINT or SIGTERM sets a flag and restores the default action, so that
/// the second ends the process. One within another takes the signals for its own life. Children
/// started by spawn() are not affected.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  bool is_interrupted() const { return is_interrupted_.load(); }
  /// Becomes readable with the first signal, for poll(); never read it.
  int fd() const { return event_.get(); }

 private:
  static void on_signal(int number);

  Fd event_;
  std::atomic<bool> is_interrupted_{false};
  SignalGuard* outer_;
  struct sigaction old_int_{};
  struct sigaction old_term_{};
};

}  // namespace kw::platform
