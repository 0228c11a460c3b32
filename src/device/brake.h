// Stopping a player between calls, and telling what it did outside of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "device/hold.h"
#include "device/threads.h"
#include "platform/subprocess.h"

namespace kw::device {

/// Holds a process whenever no call is in flight, by the freezer or by signals. It also reads the
/// processor time of each thread while all rest, right after an answer, and while all rest again:
/// what a thread used between the last two was used after the answer, and what it used while it
/// should have rested, before the request.
class Brake {
 public:
  /// `process` must outlive the brake and not have been told to stop yet. Without a `hold` signals
  /// hold it.
  explicit Brake(const platform::Process& process, std::unique_ptr<Hold> hold = nullptr);

  /// Before a request, while the process rests. About 3 µs a thread.
  void note_rest();
  /// Lets the process run. False if it is gone.
  bool release();
  /// Right after an answer came: looks at every thread and tells all to stop. About 7 µs a thread.
  /// False if some thread still ran at the look, or the look took long: then the call has lasted
  /// until now, when every thread has fallen asleep or was told to stop.
  bool pull();
  /// Waits until every thread rests; false if the process is gone or one does not stop within half
  /// a minute (it is deep inside the kernel, or a very busy machine does not run it).
  bool await_rest();

  /// Once at rest: processor time, summed over threads, that was used outside of the last call of
  /// `elapsed_ns`, beyond what being stopped costs a thread. At least as much as threads that still
  /// exist have really used: one that ran at the look is taken to have done after the answer what
  /// it had not been charged for until then. What a thread used that ended between the look and the
  /// rest is not counted; the stop leaves it some 50 µs. 0 where the kernel keeps no times of
  /// threads.
  double outside_ns(double elapsed_ns) const;

  ThreadSet& threads() { return threads_; }

 private:
  const platform::Process& process_;
  std::unique_ptr<Hold> hold_;
  ThreadSet threads_;
  ThreadSet::Times rested_;   ///< When all had come to rest after the call before.
  ThreadSet::Times asked_;    ///< When the request was made.
  ThreadSet::Look looked_;    ///< When the answer had come.
  ThreadSet::Times resting_;  ///< When all had come to rest after it.
  bool has_looked_ = false;
};

}  // namespace kw::device
