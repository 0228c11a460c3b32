// Hold: a way to keep every thread of a process from running.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "platform/subprocess.h"

namespace kw::device {

/// Stops and continues one process, including threads that it creates later. All calls take
/// microseconds; none waits.
class Hold {
 public:
  virtual ~Hold() = default;
  /// Stops all threads: from now on none begins anything new outside the kernel; work inside the
  /// kernel goes on until the thread leaves it. False if the process is gone.
  virtual bool engage() = 0;
  /// Whether every thread has come to rest since engage().
  virtual bool is_complete() = 0;
  /// Lets all threads run again. False if the process is gone.
  virtual bool release() = 0;
};

/// Stops by sending SIGSTOP to the process and to each of its threads. A signal to the process
/// alone would be taken by one thread of the kernel's choice, and while that thread sits in an
/// uninterruptible call, the others run on. `process` must outlive the hold.
std::unique_ptr<Hold> hold_by_signals(const platform::Process& process);

/// Stops by the freezer of cgroup v2: on two busy cores all threads rest after 14 to 20 µs at the
/// median, compared with 45 by signals. Null where this process may not create a group. The hold
/// may outlive the process, whose empty group exists as long as the hold. Once both have ended, the
/// group is removed by the next call of this function, or when this program ends.
std::unique_ptr<Hold> hold_by_freezer(const platform::Process& process);

}  // namespace kw::device
