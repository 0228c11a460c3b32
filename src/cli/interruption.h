// Interruption: ends every command with a message and exit code 130 after Ctrl-C or SIGTERM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

#include "cli/flags.h"
#include "platform/files.h"
#include "platform/signals.h"

namespace kw::cli {

/// Watches for signals while a command runs, and sets `global.is_interrupted`. After the first
/// signal the command has `grace` to end by itself, enough to stop waiting for the worker. Then the
/// program ends with exit code 130; under --json it prints an object that says so, unless the
/// command has begun to print its own object. A command that must finish something has its own
/// SignalGuard, which receives the signals in the meantime.
class Interruption {
 public:
  explicit Interruption(Global& global, std::chrono::milliseconds grace = std::chrono::seconds(2));
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

 private:
  void watch() const;

  const Global& global_;
  const std::chrono::milliseconds grace_;
  platform::SignalGuard signals_;
  platform::Fd ended_;  ///< Becomes readable when the command has ended.
  std::thread thread_;
};

/// Ends the program after a signal to which the command did not react: exit code 130, and a message
/// or, under --json, an object that says so. May be called from any thread.
[[noreturn]] void end_interrupted(const Global& global);

}  // namespace kw::cli
