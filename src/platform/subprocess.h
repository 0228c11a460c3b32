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

/// The child sees our descriptor `source` as number `target`. Borrowed until spawn() returns.
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
  Discard,  ///< To /dev/null; the right choice for long-lived children whose words do not matter.
  Capture,  ///< Kept up to output_cap; the rest is read and dropped.
  Inherit,  ///< Ours.
};

struct SpawnOptions {
  std::vector<std::string> env;           ///< "NAME=value", exact: nothing of ours is inherited.
  Path cwd;                               ///< Empty: ours.
  std::optional<std::string> stdin_data;  ///< None: /dev/null.
  std::vector<FdMap> fds;                 ///< No other descriptor above 2 reaches the child.
  Output out = Output::Capture;
  Output err = Output::Capture;
  std::size_t output_cap = std::size_t{1} << 20;  ///< Bytes kept of each stream.
  bool kill_past_cap = false;                     ///< End the child when a stream passes its cap.
  std::vector<ResourceLimit> limits;
  bool new_session = true;  ///< Needed to end the whole tree; false only for interactive children.
  bool die_with_parent = true;  ///< SIGKILL when the thread that called spawn() ends.
};

/// How a child ended.
struct Exit {
  int code = -1;   ///< Exit code; -1 if a signal ended it.
  int signal = 0;  ///< The signal that ended it, or 0.
  bool timed_out = false;
  bool output_truncated = false;
  std::string out;  ///< The first output_cap bytes.
  std::string err;
  std::int64_t cpu_ns = 0;         ///< User and system time of the child and those it waited for.
  std::int64_t max_rss_bytes = 0;  ///< Of the largest process; not below our own size at spawn().

  bool ok() const { return code == 0 && signal == 0 && !timed_out; }
};

/// "exit code 3", "signal 11 (Segmentation fault)", "timed out".
std::string describe(const Exit& exit);

/// A running child. Destruction kills it with all its descendants and reaps it.
class Process {
 public:
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  /// The process that was spawned (bubblewrap, for a jail of level Namespace).
  pid_t pid() const;
  /// Readable when pid() has ended; for poll().
  int pidfd() const;
  /// The process that runs the program itself, as this machine numbers it: the one to stop,
  /// continue and take the CPU time of. Equals pid() outside a jail.
  pid_t payload_pid() const;
  /// Whom the payload runs as, on this machine: ours, or the uid that its jail was given.
  uid_t uid() const;

  /// Sends a signal to the payload (SIGSTOP, SIGCONT); an error if it is gone.
  Result<> signal(int number) const;
  /// CPU time of the payload, all its threads, so far. About 1 µs; an error once it is reaped.
  Result<std::int64_t> cpu_ns() const;
  bool is_running() const;
  /// False once the last thread of the payload has ended, reaped or not.
  bool is_payload_running() const;

  /// Takes what has been printed so far off the pipes; never blocks. For children with captured
  /// output that are not being waited for.
  void drain();

  /// Waits for the end, draining output; past `timeout` kills the tree and says so. Call once.
  Result<Exit> wait(Nanoseconds timeout);

  /// SIGKILL to every process of the tree. Idempotent; wait() still reports how it ended.
  void kill_tree();
  /// SIGKILL to every process of the tree, and destruction does not wait for their ends: they are
  /// zombies until we end. The last call.
  void dismiss();

  struct State;
  explicit Process(std::unique_ptr<State> state);
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Starts argv[0] (searched on our PATH if it has no slash). A program that cannot be executed is
/// an error here, not an exit code. Costs about 0.1 ms however large we are (shares memory until
/// exec). With die_with_parent, call it from a thread that outlives the child.
Result<Process> spawn(const std::vector<std::string>& argv, const SpawnOptions& options = {});

/// spawn() and wait().
Result<Exit> run(const std::vector<std::string>& argv, const SpawnOptions& options,
                 Nanoseconds timeout);

/// The value of "NAME=value" for SpawnOptions::env, if the name is set in our own environment.
std::optional<std::string> env_of_ours(const std::string& name);

}  // namespace kw::platform
