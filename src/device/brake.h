// Brake: stops a player between calls, and tells how much it computed outside of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "device/hold.h"
#include "device/threads.h"
#include "platform/subprocess.h"

namespace kw::device {

/// Stops a process whenever no call is in flight, by the freezer or by signals. It also reads the
/// processor time of each thread at three moments: while all rest, right after an answer, and while
/// all rest again. Time used between the last two was used after the answer; time used while a
/// thread should have rested was used before the request.
class Brake {
 public:
  /// `process` must outlive the brake, and must not have been stopped yet. `hold` is how to stop
  /// it; by default by signals.
  explicit Brake(const platform::Process& process, std::unique_ptr<Hold> hold = nullptr);

  /// Reads all threads before a request, while the process rests. Takes about 3 µs per thread.
  void note_rest();
  /// Lets the process run. False if the process is gone.
  bool release();
  /// Right after an answer, looks at every thread and then stops all of them. Takes about 7 µs per
  /// thread. False if a thread still ran at that look, or the look took long: then the call has
  /// lasted until now, when every thread sleeps or was stopped.
  bool pull();
  /// Waits until every thread rests. False if the process is gone, or if a thread does not stop
  /// within half a minute (because it is deep inside the kernel, or the machine is too busy to run
  /// it).
  bool await_rest();

  /// Processor time that threads used outside of the last call, which took `elapsed_ns`; call once
  /// the process rests. The sum leaves out what being stopped costs each thread. It is at least
  /// what threads that still exist have really used: for a thread that ran at the look, all time
  /// that it had not been charged for until then counts as used after the answer. Use by threads
  /// that ended between the look and the rest is not counted; they have some 50 µs for that before
  /// the stop. 0 where the kernel keeps no times of threads.
  double outside_ns(double elapsed_ns) const;

  ThreadSet& threads() { return threads_; }

 private:
  const platform::Process& process_;
  std::unique_ptr<Hold> hold_;
  ThreadSet threads_;
  ThreadSet::Times rested_;   ///< Times when all threads rested after the previous call.
  ThreadSet::Times asked_;    ///< Times when the request was made.
  ThreadSet::Look looked_;    ///< Times when the answer had come.
  ThreadSet::Times resting_;  ///< Times when all threads rested after that answer.
  bool has_looked_ = false;
};

}  // namespace kw::device
