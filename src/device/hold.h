// Ways to keep every thread of a process from running.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "platform/subprocess.h"

namespace kw::device {

/// Stops and continues one process, threads that it makes later included. All calls take
/// microseconds; none waits.
class Hold {
 public:
  virtual ~Hold() = default;
  /// From now on no thread begins anything new outside the kernel; what one does inside the kernel
  /// goes on until it leaves. False if the process is gone.
  virtual bool engage() = 0;
  /// Whether every thread has come to rest since.
  virtual bool is_complete() = 0;
  /// Lets all run again. False if the process is gone.
  virtual bool release() = 0;
};

/// SIGSTOP to the process and to each of its threads. A signal to the process alone is taken by
/// one thread of the kernel's choice, and while that one sits in a call that no signal interrupts,
/// the others run on. `process` must outlive the hold.
std::unique_ptr<Hold> hold_by_signals(const platform::Process& process);

/// The freezer of cgroup v2, where this process may make a group: on two busy cores all threads
/// rest after 14 to 20 µs at the median, by signals after 45. Null where it may not. The hold
/// may outlive the process, whose empty group stays as long as the hold. Once both have ended, the
/// group is removed by the next call of this function, or as this program ends.
std::unique_ptr<Hold> hold_by_freezer(const platform::Process& process);

}  // namespace kw::device
