// Jails, in which compilers and candidates run; the level is chosen by the caller and never
// weakened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/subprocess.h"
#include "record/enums.h"

namespace kw::platform {

/// How a jail is enforced, strongest first. docs/threat-model.md says what each level stops.
using kw::JailLevel;

/// What the jailed program may do. Everything not listed is forbidden at Namespace and Landlock.
struct JailSpec {
  JailLevel level = JailLevel::Namespace;

  /// Lets the program read and execute /usr, /lib*, /bin, ld.so.cache and alternatives.
  bool system_files = true;
  bool plain_devices = true;  ///< Lets the program use /dev/null, zero, full, random and urandom.
  /// Existing files and folders that the program may read and execute.
  std::vector<Path> readable;
  /// Folders in which the program may do everything but make devices. When this process is root,
  /// the folders are given to the jail's uid.
  std::vector<Path> writable;
  /// Devices beside the plain ones (/dev/null, zero, full, random, urandom) that the program may
  /// read, write and control by ioctl.
  std::vector<Path> device_nodes;
  bool proc = false;  ///< Shows a /proc (a private one at Namespace); CUDA needs it.

  /// Allows sockets of the Unix domain: NVIDIA's driver binds one while it initialises. At level
  /// Namespace no other process's socket can be reached; a player forbids itself new sockets before
  /// it loads foreign code.
  bool local_sockets = false;
  /// Allows internet sockets too, only at level Namespace, where the only network is the jail's own
  /// loopback. Profilers use it to talk to the program that they start.
  bool private_network = false;
  /// Keeps CAP_SYS_ADMIN, if this process has it, although uid and filter change: where the driver
  /// restricts counters, only an administrator may read them. Only for trusted programs.
  bool keeps_admin = false;

  /// Allows fork and exec, for compilers; candidates may only start threads.
  bool allow_new_processes = false;
  /// Bound on processes and threads together; JailProbe::process_limit_ns and _landlock say what it
  /// counts.
  int max_processes = 64;
  std::uint64_t address_space_bytes = 0;  ///< Bound per process; 0: none (CUDA, AddressSanitizer).
  std::uint64_t file_bytes = std::uint64_t{256} << 20;  ///< Largest file that may be written.
  /// Size of the private /tmp (Namespace only).
  std::uint64_t tmp_bytes = std::uint64_t{256} << 20;
  std::uint64_t cpu_seconds = 0;  ///< CPU time per process; 0: unlimited.
  int max_open_files = 512;

  std::vector<std::string> env;  ///< The whole environment; nothing is inherited.
  /// Descriptors to pass to the program, each with the number that it gets there, below
  /// max_open_files.
  std::vector<FdMap> fds;
  std::optional<std::string> stdin_data;
  Output out = Output::Capture;
  Output err = Output::Capture;
  std::size_t output_cap = std::size_t{1} << 20;
  bool kill_past_cap = false;
  Path cwd = "/";
};

/// Starts argv (argv[0] is an absolute path as seen inside the jail) in the jail. Returns once the
/// program has been executed with every restriction in force. A restriction that cannot be applied,
/// or a level that is not available, is an error that names it; no weaker level is used instead.
/// Candidates cannot exec a second time. payload_pid() of the result is the program itself. Call
/// from a thread that outlives the jail, as for spawn(). Takes milliseconds, most of them in
/// bubblewrap (docs/performance.md), and more where the cores are overcommitted.
Result<Process> launch(const JailSpec& spec, const std::vector<std::string>& argv);

/// Starts a program as launch() does and waits for its end.
Result<Exit> run_jailed(const JailSpec& spec, const std::vector<std::string>& argv,
                        Nanoseconds timeout);

/// Whether one level works on this machine, found by trying it.
struct JailFinding {
  bool available = false;
  std::string why_not;  ///< Why the level does not work; empty if it does.
  /// What enforces the level, e.g. "bubblewrap 0.8.0, seccomp" or "Landlock ABI 7 (…)".
  std::string confines;
};

enum class ProcessLimit {
  /// The jail has a uid or a user namespace to itself: max_processes counts the jail alone.
  Exact,
  /// The jail runs as our uid: max_processes comes on top of the processes that the machine had at
  /// launch.
  Shared,
  Unbounded,  ///< The kernel exempts this user (an unmapped root): only the time limit holds.
};

struct JailProbe {
  JailFinding ns;
  JailFinding landlock;
  bool drops_uid = false;  ///< Jailed programs run as another uid than ours.
  uid_t uid = 0;           ///< Uid of jailed programs (the first of the range), or our own.
  ProcessLimit process_limit_ns = ProcessLimit::Unbounded;
  ProcessLimit process_limit_landlock = ProcessLimit::Unbounded;

  const JailFinding& at(JailLevel level) const;
  /// The strongest level that works on this machine.
  JailLevel best() const;
};

/// Launches a self-check at each level, once per process (about 20 ms), and remembers the findings.
const JailProbe& probe_jail();
/// Runs the self-check of one level alone, without composing words for people.
const JailFinding& probe_level(JailLevel level);
/// What a person can do where a level does not work; empty for None, which always works.
std::string_view how_to_mend(JailLevel level);
/// What a level lacks that Namespace has, in one line for people; empty for Namespace.
std::string_view what_it_lacks(JailLevel level);

}  // namespace kw::platform
