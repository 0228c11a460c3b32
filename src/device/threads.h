// ThreadSet: the threads of another process, with their states and processor times.
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

/// Reads /proc/PID/task. Files of threads stay open between looks, so that a look costs about 3 µs
/// per thread.
class ThreadSet {
 public:
  /// Processor time by thread, in ns of user and kernel mode. Exact for a thread that sleeps, waits
  /// for a processor or is stopped; up to one tick of the kernel (4 ms at 250 Hz) too small for a
  /// thread that runs.
  using Times = std::map<pid_t, std::int64_t>;
  enum class State { AsAsked, Other, Unknown };

  explicit ThreadSet(pid_t process) : process_(process) {}

  /// Numbers of the threads as seen in our pid namespace; empty without /proc.
  std::vector<pid_t> ids();
  /// Whether the state letter of every thread (proc(5)) is one of `letters`. Unknown without /proc,
  /// and where a thread's file cannot be read.
  State state_of_all(const char* letters);
  /// Processor times; empty where the kernel keeps none.
  Times times();
  /// Result of one look at all threads.
  struct Look {
    Times times;
    std::vector<pid_t> running;  ///< Threads that ran until the end of the look.
    bool all_slept = true;       ///< No thread ran when it was first looked at.
  };
  /// Reads the times of all threads, and again those of threads that seem to run, until none seems
  /// to or `patience_ns` have passed: a thread that is falling asleep has not been charged yet for
  /// what it did.
  Look times_when_asleep(std::int64_t patience_ns);
  /// Waits until every thread sleeps; false if one still runs or waits for a processor after
  /// `patience_ns`, and without /proc.
  bool await_sleep(std::int64_t patience_ns);
  /// Number of processes that the threads have started and that still exist; 0 without /proc.
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
