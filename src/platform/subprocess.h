// Subprocesses: exact environment, chosen descriptors, bounded output, bounded time, no survivors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/clock.h"
#include "platform/files.h"

namespace kw::platform {

/// Passes our descriptor `source` to the child as number `target`. Borrowed until spawn() returns.
struct FdMap {
  int source = -1;
  int target = -1;
};

/// One setrlimit() in the child, soft and hard alike.
struct ResourceLimit {
  int resource = 0;  ///< RLIMIT_…
  rlim_t value = 0;
};

enum class Output {
  /// Output goes to /dev/null; best for long-lived children whose output does not matter.
  Discard,
  Capture,  ///< Up to output_cap bytes are kept; the rest is read and dropped.
  Inherit,  ///< Output goes where the output of this process goes.
};

struct SpawnOptions {
  /// "NAME=value" each: the whole environment; nothing is inherited.
  std::vector<std::string> env;
  Path cwd;                               ///< Working directory; empty: ours.
  std::optional<std::string> stdin_data;  ///< Standard input; none: /dev/null.
  std::vector<FdMap> fds;                 ///< No other descriptor above 2 reaches the child.
  Output out = Output::Capture;
  Output err = Output::Capture;
  std::size_t output_cap = std::size_t{1} << 20;  ///< Bytes kept of each stream.
  bool kill_past_cap = false;                     ///< End the child when a stream passes its cap.
  std::vector<ResourceLimit> limits;
  bool new_session = true;  ///< Needed to end the whole tree; false only for interactive children.
  /// The child gets SIGKILL when the thread that called spawn() ends.
  bool die_with_parent = true;
};

/// How a child ended.
struct Exit {
  int code = -1;   ///< Exit code; -1 if a signal ended it.
  int signal = 0;  ///< The signal that ended it, or 0.
  bool timed_out = false;
  bool output_truncated = false;
  std::string out;  ///< The first output_cap bytes.
  std::string err;
  /// User and system time of the child and of the descendants that were waited for.
  std::int64_t cpu_ns = 0;
  /// Size of the largest process in the tree; not below our own size at spawn().
  std::int64_t max_rss_bytes = 0;

  bool ok() const { return code == 0 && signal == 0 && !timed_out; }
};

/// How a child ended, in words: "exit code 3", "signal 11 (Segmentation fault)", "timed out".
std::string describe(const Exit& exit);

/// A running child. Destruction kills it with all its descendants and reaps it.
class Process {
 public:
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  /// The process that was spawned (bubblewrap, for a jail of level Namespace).
  pid_t pid() const;
  /// A descriptor for poll() that is readable once pid() has ended.
  int pidfd() const;
  /// The process that runs the program itself, by its number outside the jail: the one to stop, to
  /// continue and to take the CPU time of. Equals pid() outside a jail.
  pid_t payload_pid() const;
  /// Uid of the payload as seen from outside the jail: ours, or the one that the jail was given.
  uid_t uid() const;

  /// Sends a signal (SIGSTOP, SIGCONT) to the payload; an error if the payload is gone.
  Result<> signal(int number) const;
  /// CPU time that all threads of the payload have used so far. Takes about 1 µs; an error once the
  /// payload is reaped.
  Result<std::int64_t> cpu_ns() const;
  bool is_running() const;
  /// Whether a thread of the payload still runs; false after the last has ended, reaped or not.
  bool is_payload_running() const;

  /// Reads from the pipes what was printed so far; never blocks. For children with captured output
  /// that nobody waits for.
  void drain();

  /// Waits for the end while reading output. Past `timeout` kills the process tree and says so.
  /// Call once.
  Result<Exit> wait(Nanoseconds timeout);

  /// Sends SIGKILL to every process of the tree. Idempotent; wait() still reports how the child
  /// ended.
  void kill_tree();
  /// Sends SIGKILL to every process of the tree, without a wait for their ends in the destructor:
  /// the processes stay zombies until this program ends. No other call may follow.
  void dismiss();

  struct State;
  explicit Process(std::unique_ptr<State> state);
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Starts argv[0] (searched on our PATH if it has no slash). A program that cannot be executed is
/// an error here, not an exit code. Takes about 0.1 ms however large our process is (memory is
/// shared until exec). With die_with_parent, call from a thread that outlives the child.
Result<Process> spawn(const std::vector<std::string>& argv, const SpawnOptions& options = {});

/// Starts a program as spawn() does and waits for its end.
Result<Exit> run(const std::vector<std::string>& argv, const SpawnOptions& options,
                 Nanoseconds timeout);

/// "NAME=value" for SpawnOptions::env, if the name is set in our own environment.
std::optional<std::string> env_of_ours(const std::string& name);

}  // namespace kw::platform
