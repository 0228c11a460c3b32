// Jails: where compilers and candidates run; the level is chosen by the caller and never weakened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/subprocess.h"
#include "record/enums.h"

namespace kw::platform {

/// Strongest first. docs/threat-model.md says what each one stops.
using kw::JailLevel;

/// What the jailed program may do. Everything not listed is forbidden at Namespace and Landlock.
struct JailSpec {
  JailLevel level = JailLevel::Namespace;

  bool system_files = true;    ///< /usr, /lib*, /bin, ld.so.cache, alternatives: read and execute.
  bool plain_devices = true;   ///< null, zero, full, random and urandom of /dev.
  std::vector<Path> readable;  ///< Files and folders: read and execute. Must exist.
  std::vector<Path>
      writable;  ///< Folders: all but devices. Given to the jail's uid when we are root.
  std::vector<Path> device_nodes;  ///< Beside the plain ones: read, write, ioctl.
  bool proc = false;               ///< A /proc (own at Namespace); CUDA needs it.

  /// Sockets of the Unix domain: NVIDIA's driver binds one while it initialises. At Namespace
  /// nobody else's can be reached; a player takes new ones away from itself before it loads foreign
  /// code.
  bool local_sockets = false;
  /// Sockets of the internet families too, at Namespace alone: there the jail's own loopback is all
  /// the network there is. Profilers talk through it to the program that they started.
  bool private_network = false;
  /// Keeps CAP_SYS_ADMIN, if we have it, while uid and filter change as ever: the driver lets
  /// nobody else read counters where it restricts them. Only for programs of ours.
  bool keeps_admin = false;

  bool allow_new_processes = false;  ///< Compilers: fork and exec. Candidates: threads only.
  int max_processes = 64;  ///< Processes and threads together; see JailProbe::process_limit.
  std::uint64_t address_space_bytes = 0;  ///< Per process; 0: unlimited (CUDA, AddressSanitizer).
  std::uint64_t file_bytes = std::uint64_t{256} << 20;  ///< Largest file it may write.
  std::uint64_t tmp_bytes = std::uint64_t{256} << 20;   ///< Private /tmp (Namespace only).
  std::uint64_t cpu_seconds = 0;                        ///< Per process; 0: unlimited.
  int max_open_files = 512;

  std::vector<std::string> env;  ///< Exact.
  std::vector<FdMap> fds;        ///< Targets 0–2 and below max_open_files.
  std::optional<std::string> stdin_data;
  Output out = Output::Capture;
  Output err = Output::Capture;
  std::size_t output_cap = std::size_t{1} << 20;
  bool kill_past_cap = false;
  Path cwd = "/";
};

/// Starts argv (argv[0] an absolute path inside the jail's view) in the jail. Returns when the
/// program has been executed with every restriction in force; a restriction that cannot be applied
/// is an error that names it, and so is an unavailable level: nothing falls back. Candidates cannot
/// exec a second time. payload_pid() of the result is the program itself. Call it from a thread
/// that outlives the jail, see spawn(). Costs milliseconds, most of them bubblewrap's
/// (docs/performance.md, part jail), and more where the cores are overcommitted.
Result<Process> launch(const JailSpec& spec, const std::vector<std::string>& argv);

/// launch() and wait().
Result<Exit> run_jailed(const JailSpec& spec, const std::vector<std::string>& argv,
                        Nanoseconds timeout);

/// What one level gives on this machine, found by using it.
struct JailFinding {
  bool available = false;
  std::string why_not;  ///< Empty when available.
  std::string
      confines;  ///< What holds it, e.g. "bubblewrap 0.8.0, seccomp" or "Landlock ABI 7 (…)".
};

enum class ProcessLimit {
  Exact,      ///< A uid or a user namespace of its own: max_processes counts the jail alone.
  Shared,     ///< Our own uid: bounded by the processes on the machine at launch + max_processes.
  Unbounded,  ///< The kernel exempts this user (an unmapped root): only the time limit holds.
};

struct JailProbe {
  JailFinding ns;
  JailFinding landlock;
  bool drops_uid = false;  ///< Jailed programs run as a uid of their own.
  uid_t uid = 0;           ///< That uid (the first of the range), or ours.
  ProcessLimit process_limit_ns = ProcessLimit::Unbounded;
  ProcessLimit process_limit_landlock = ProcessLimit::Unbounded;

  const JailFinding& at(JailLevel level) const;
  /// The strongest level that works here.
  JailLevel best() const;
};

/// Launches a self-check at each level, once per process (about 20 ms), and remembers the findings.
const JailProbe& probe_jail();
/// Whether one level works here: its self-check alone, without the words for people.
const JailFinding& probe_level(JailLevel level);
/// What a person can do where a level does not work; empty for None, which always does.
std::string_view how_to_mend(JailLevel level);
/// What a level lacks that Namespace has, in one line for people; empty for Namespace.
std::string_view what_it_lacks(JailLevel level);

}  // namespace kw::platform
