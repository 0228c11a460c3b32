// Interruption: ends every command in words and with exit code 130 after Ctrl-C and SIGTERM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

#include "cli/flags.h"
#include "platform/files.h"
#include "platform/signals.h"

namespace kw::cli {

/// Watches signals while a command runs, and sets `global.is_interrupted`. After the first signal
/// the command has `grace` to end by itself, enough to leave a wait for the worker. Then the
/// program ends with exit code 130 and, under --json, the object that says so, unless the command
/// has begun to print its own. A command that has to finish something has its own SignalGuard,
/// which takes the signals meanwhile.
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

/// Ends the program like an interruption to which no command reacted: with exit code 130, in words
/// or, under --json, as the object that says so. May be called from any thread.
[[noreturn]] void end_interrupted(const Global& global);

}  // namespace kw::cli
