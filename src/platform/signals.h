// SignalGuard: the first Ctrl-C asks the program to finish, a later one ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

#include "platform/files.h"

namespace kw::platform {

/// Counts SIGINT and SIGTERM as long as it lives. The last signal that it takes restores the
/// default action, so that the next one ends the process. A guard inside another's life takes the
/// signals meanwhile. Children started by spawn() are not affected.
class SignalGuard {
 public:
  /// `takes`: how many signals the guard takes: 1, or 2 for a program that distinguishes finishing
  /// from stopping.
  explicit SignalGuard(int takes = 1);
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  bool is_interrupted() const { return count_.load() > 0; }
  /// Whether a guard that takes two signals has got the second.
  bool is_urgent() const { return count_.load() > 1; }
  /// Descriptor that becomes readable with the first signal, for poll(); never read from it.
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
