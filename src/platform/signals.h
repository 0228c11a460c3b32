// SignalGuard: the first Ctrl-C asks the program to finish, a later one ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

#include "platform/files.h"

namespace kw::platform {

/// While it lives, it counts SIGINT and SIGTERM, and the last that it takes restores the default
/// action, so that the next ends the process. One within another takes the signals for its own
/// life. Children started by spawn() are not affected.
class SignalGuard {
 public:
  /// `takes`: 1, or 2 of a program that makes a difference between finishing and stopping.
  explicit SignalGuard(int takes = 1);
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  bool is_interrupted() const { return count_.load() > 0; }
  /// A second one came, of a guard that takes two.
  bool is_urgent() const { return count_.load() > 1; }
  /// Becomes readable with the first signal, for poll(); never read it.
  int fd() const { return event_.get(); }

 private:
  static void on_signal(int number);

  const int takes_;
  Fd event_;
  std::atomic<int> count_{0};
  SignalGuard* outer_;
  struct sigaction old_int_{};
  struct sigaction old_term_{};
};

}  // namespace kw::platform
