// The threads of another process: their states, and the processor time of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "platform/files.h"

namespace kw::device {

/// Reads /proc/PID/task. Descriptors of threads stay open from look to look, so that a look costs
/// about 3 µs a thread.
class ThreadSet {
 public:
  /// By thread: nanoseconds of processor time, in user and kernel mode. Exact for a thread that
  /// sleeps, waits for a processor or is stopped; up to a tick of the kernel (4 ms at 250 Hz) too
  /// little for one that runs at this moment.
  using Times = std::map<pid_t, std::int64_t>;
  enum class State { AsAsked, Other, Unknown };

  explicit ThreadSet(pid_t process) : process_(process) {}

  /// Numbers of the threads as this machine counts them; empty without /proc.
  std::vector<pid_t> ids();
  /// Whether the state letter of every thread is one of `letters` (proc(5)). Unknown without /proc,
  /// and where a thread's file cannot be read.
  State state_of_all(const char* letters);
  /// Empty where the kernel keeps no such figures.
  Times times();
  /// What one look at all threads saw.
  struct Look {
    Times times;
    std::vector<pid_t> running;  ///< Ran to the end of it.
    bool all_slept = true;       ///< None ran when it was looked at first.
  };
  /// times(), with further looks at threads that seem to run, until none does or `patience_ns` are
  /// over: one that is just falling asleep has not been charged for what it did yet.
  Look times_when_asleep(std::int64_t patience_ns);
  /// Waits until every thread sleeps; false if one still runs or waits for a processor after
  /// `patience_ns`, and without /proc.
  bool await_sleep(std::int64_t patience_ns);
  /// Processes that the threads have started and that still exist; 0 without /proc.
  int count_children();

 private:
  struct CloseDir {
    void operator()(DIR* d) const { ::closedir(d); }
  };
  struct Files {
    platform::Fd state;
    platform::Fd time;
  };

  Files& files_of(pid_t thread);
  std::string_view reread_of(pid_t thread, platform::Fd Files::* file, std::span<char> into);
  char state_of(pid_t thread);
  std::int64_t time_of(pid_t thread);

  pid_t process_;
  std::unique_ptr<DIR, CloseDir> dir_;
  std::map<pid_t, Files> open_;
};

}  // namespace kw::device
