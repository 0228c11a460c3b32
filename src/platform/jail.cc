// Launches a jail: the policy, bubblewrap's arguments, and the handshake with kw-jail.
// SPDX-License-Identifier: Apache-2.0
#include "platform/jail.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/defence.h"
#include "platform/jail_launch.h"
#include "platform/jail_policy.h"
#include "platform/process_state.h"
#include "platform/uid_cursor.h"

namespace kw::platform {
namespace {

/// Longest time that a launch may take, in milliseconds; only a badly overloaded machine reaches
/// it.
constexpr int kSetupTimeoutMs = 10'000;

constexpr std::array kMinimalDevices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom"};

constexpr const char* kDiedInSetup =
    "kw-jail ended while it set up the jail; kw doctor tells which jails work on this machine";

/// Paths of the system that dynamically linked programs and compilers read.
constexpr std::array kSystemPaths = {"/usr",
                                     "/lib",
                                     "/lib32",
                                     "/lib64",
                                     "/libx32",
                                     "/bin",
                                     "/sbin",
                                     "/etc/ld.so.cache",
                                     "/etc/ld.so.conf",
                                     "/etc/ld.so.conf.d",
                                     "/etc/alternatives"};

/// Paths that no jail shows, except in a test that switches this defence off to see an attack
/// succeed.
constexpr std::array kNeverShown = {"/etc", "/proc", "/tmp"};

bool is_there(const Path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

/// Makes the parents of a path explicitly: root's bubblewrap 0.8 would make them for root alone.
void make_parents(std::vector<std::string>& args, const Path& path) {
  Path made;
  for (const Path& part : path.parent_path()) {
    made /= part;
    if (made == made.root_path()) continue;
    args.insert(args.end(), {"--perms", "0755", "--dir", made.string()});
  }
}

/// Shows the system's folders. Names that are links in the system's root, as /lib is on merged-/usr
/// systems, stay links in the jail's.
void bind_system(std::vector<std::string>& args) {
  for (const Path path : kSystemPaths) {
    std::error_code error;
    if (std::filesystem::is_symlink(path, error)) {
      const Path target = std::filesystem::read_symlink(path, error);
      if (!error) args.insert(args.end(), {"--symlink", target.string(), path.string()});
    } else if (is_there(path)) {
      make_parents(args, path);
      args.insert(args.end(), {"--ro-bind", path.string(), path.string()});
    }
  }
}

Result<std::vector<std::string>> bubblewrap_command(const JailSpec& spec, const JailRights& rights,
                                                    const std::string& program,
                                                    const std::string& kw_jail) {
  const Path bwrap = KW_TRY(find_bubblewrap());
  std::vector<std::string> args = {bwrap.string(),  "--unshare-pid",     "--unshare-net",
                                   "--unshare-ipc", "--unshare-uts",     "--unshare-cgroup-try",
                                   "--new-session", "--die-with-parent", "--as-pid-1"};
  // Root needs no user namespace; inside one it could not change to the jail's uid.
  if (!rights.drops_uid) args.emplace_back("--unshare-user");
  if (spec.system_files) bind_system(args);
  args.insert(args.end(),
              {"--perms", "1777", "--size", std::to_string(spec.tmp_bytes), "--tmpfs", "/tmp"});
  const auto bind = [&](const char* how, const std::string& path) {
    make_parents(args, path);
    args.insert(args.end(), {how, path, path});
  };
  if (spec.plain_devices)
    for (const char* device : kMinimalDevices) bind("--dev-bind", device);
  if (!is_on(Defence::JailFiles))
    for (const char* path : kNeverShown) bind("--bind", path);
  for (const Path& path : spec.device_nodes) bind("--dev-bind", path.string());
  if (spec.proc) args.insert(args.end(), {"--proc", "/proc"});
  for (const Path& path : spec.readable) bind("--ro-bind", path.string());
  for (const Path& path : spec.writable) bind("--bind", path.string());
  bind("--ro-bind", program);
  bind("--ro-bind", kw_jail);
  args.insert(args.end(), {"--remount-ro", "/", "--", kw_jail});
  return args;
}

JailPolicy make_policy(const JailSpec& spec, const JailRights& rights,
                       const std::vector<std::string>& argv) {
  JailPolicy policy;
  const bool confined = spec.level != JailLevel::None;
  policy.supervise = spec.level == JailLevel::Namespace;
  policy.landlock = spec.level == JailLevel::Landlock;
  policy.seccomp = confined && is_on(Defence::SystemCalls);
  policy.new_processes = spec.allow_new_processes;
  policy.local_sockets = spec.local_sockets;
  policy.private_network = spec.private_network && spec.level == JailLevel::Namespace;
  policy.keeps_admin = spec.keeps_admin;
  policy.shares_uid = policy.landlock && !rights.drops_uid;
  policy.share_nproc = !confined || process_limit_of(spec.level, rights) != ProcessLimit::Exact;
  policy.max_processes = static_cast<std::uint64_t>(spec.max_processes);
  policy.max_open_files = static_cast<std::uint64_t>(spec.max_open_files);
  policy.address_space_bytes = spec.address_space_bytes;
  policy.file_bytes = spec.file_bytes;
  policy.cpu_seconds = spec.cpu_seconds;
  policy.cwd = spec.cwd.string();
  policy.argv = argv;
  policy.env = spec.env;
  if (policy.landlock) {
    if (spec.system_files) {
      std::copy_if(kSystemPaths.begin(), kSystemPaths.end(), std::back_inserter(policy.readable),
                   is_there);
    }
    for (const Path& path : spec.readable) policy.readable.push_back(path.string());
    policy.readable.push_back(argv[0]);
    if (spec.proc) policy.readable.emplace_back("/proc");
    policy.names_threads = spec.proc;
    for (const Path& path : spec.writable) policy.writable.push_back(path.string());
    if (spec.plain_devices)
      std::copy_if(kMinimalDevices.begin(), kMinimalDevices.end(),
                   std::back_inserter(policy.devices), is_there);
    for (const Path& path : spec.device_nodes) policy.devices.push_back(path.string());
    if (!is_on(Defence::JailFiles))
      policy.writable.insert(policy.writable.end(), kNeverShown.begin(), kNeverShown.end());
  }
  return policy;
}

/// Checks that the jail's uid can enter every folder above a path. Only Landlock needs this:
/// bubblewrap makes the parents itself.
Result<> check_reachable(const Path& path) {
  for (Path folder = path.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    struct stat info{};
    if (::stat(folder.c_str(), &info) != 0) return fail_errno("inspect", folder, errno);
    if ((info.st_mode & S_IXOTH) == 0) {
      return fail(
          ErrorCode::NotPermitted,
          "with --jail landlock, kw runs candidates as an unprivileged user when root starts it, "
          "and that user may not enter this folder above " +
              path.string() + "; chmod o+x the folder, or work elsewhere",
          folder.string());
    }
  }
  return {};
}

/// The program's path with links in its folder resolved, so that a jail that shows the real folder
/// need not show the links to it (a toolkit's /usr/local/cuda is a link by way of /etc).
Path in_real_folder(const Path& program) {
  std::error_code error;
  const Path folder = std::filesystem::canonical(program.parent_path(), error);
  return error || !program.is_absolute() ? program : folder / program.filename();
}

Result<> check_paths(const JailSpec& spec, const JailRights& rights,
                     const std::vector<std::string>& argv) {
  if (argv.empty() || !Path(argv[0]).is_absolute()) {
    return fail(ErrorCode::BadInput, About{"program"},
                "a program that is to run in the jail must be named by an absolute path",
                argv.empty() ? "" : argv[0]);
  }
  std::vector<Path> all = spec.readable;
  all.insert(all.end(), spec.writable.begin(), spec.writable.end());
  all.insert(all.end(), spec.device_nodes.begin(), spec.device_nodes.end());
  for (const Path& path : all) {
    if (!path.is_absolute())
      return fail(ErrorCode::BadInput, About{"path"},
                  "a path that the jail makes available must be absolute", path.string());
    if (!is_there(path)) return fail_errno("make this path available in the jail", path, ENOENT);
    // The program itself needs no check: it is opened before the uid changes and executed by its
    // descriptor.
    if (spec.level == JailLevel::Landlock && rights.drops_uid &&
        in_real_folder(path) != Path(argv[0]))
      KW_TRY(check_reachable(path));
  }
  return {};
}

/// Takes a uid for one running jail, so that each jail has its own limit on processes and cannot
/// signal another. The search starts behind the last uid that any process took: processes of an
/// ended jail count against its uid until init has reaped them, which on a busy machine takes
/// seconds.
Result<uid_t> take_uid(const JailSpec& spec, Process::State& state, std::string_view program) {
  const Path folder = KW_TRY(lease_dir());
  for (uid_t tries = 0; tries < kJailUids; ++tries) {
    const uid_t uid = kFirstJailUid + advance_uid_cursor(folder) % kJailUids;
    auto lock = FileLock::acquire(folder / ("uid-" + std::to_string(uid)), program);
    if (!lock && lock.error().advice == Advice::Retry) continue;
    state.uid_slot = KW_TRY(std::move(lock));
    for (const Path& path : spec.writable) {
      if (::chown(path.c_str(), uid, uid) != 0)
        return fail_errno("give this folder to the jail's user", path, errno);
    }
    return uid;
  }
  return fail(ErrorCode::Busy, About{"user ids"},
              "all " + std::to_string(kJailUids) +
                  " user ids that this machine has for jails are in use; try again once other runs "
                  "have ended",
              folder.string(), Advice::Retry);
}

struct Report {
  JailReport kind{};
  std::string detail;
  pid_t sender = 0;
  bool end_of_file = false;
};

/// Receives one message of kw-jail, with the sender's pid as numbered outside the jail.
Result<Report> receive_report(int socket, int timeout_ms) {
  pollfd ready{socket, POLLIN, 0};
  int n = 0;
  do {
    n = ::poll(&ready, 1, timeout_ms);
  } while (n < 0 && errno == EINTR);
  if (n <= 0)
    return fail(ErrorCode::NoJail, "kw-jail did not report within its time limit", "",
                Advice::Retry);

  std::array<char, 4096> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  iovec data{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return fail_errno("receive a report from kw-jail", "kw-jail", errno);
  Report report;
  report.end_of_file = got == 0;
  if (got == 0) return report;
  report.kind = JailReport{text[0]};
  report.detail.assign(text.data() + 1, static_cast<std::size_t>(got - 1));
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_CREDENTIALS) {
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    report.sender = credentials.pid;
  }
  return report;
}

/// Follows the setup until the program runs; fills in the pids of supervisor and payload.
Result<> await_running(Process::State& state, bool supervised) {
  const int socket = state.supervisor.get();
  for (;;) {
    const Report report = KW_TRY(receive_report(socket, kSetupTimeoutMs));
    if (report.end_of_file && !supervised && state.payload_pidfd) return {};
    if (report.end_of_file) return fail(ErrorCode::NoJail, kDiedInSetup);
    switch (report.kind) {
      case JailReport::Failed:
        return fail(ErrorCode::NoJail, "kw-jail could not " + report.detail);
      case JailReport::Running:
        return {};
      case JailReport::Supervisor:
      case JailReport::Payload: {
        Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, report.sender, 0)));
        if (!pidfd) return fail_errno("open a pidfd for the jailed process", "", errno);
        if (report.kind == JailReport::Payload) {
          state.payload_pid = report.sender;
          state.payload_pidfd = std::move(pidfd);
        } else {
          state.namespace_pidfd = std::move(pidfd);
        }
        if (::send(socket, "", 1, MSG_NOSIGNAL) != 1) return fail(ErrorCode::NoJail, kDiedInSetup);
        break;
      }
      case JailReport::Ended:
        return fail(ErrorCode::NoJail, kDiedInSetup);
    }
  }
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

void Process::State::finish() {
  if (!namespace_pidfd) return;
  // The supervisor's last message can be read after its end. bubblewrap's exit code cannot tell a
  // signal from 128+n.
  for (;;) {
    const auto report = receive_report(supervisor.get(), 0);
    if (!report || report->end_of_file) return;
    if (report->kind != JailReport::Ended || report->detail.size() != sizeof(PayloadEnd)) continue;
    PayloadEnd end{};
    std::memcpy(&end, report->detail.data(), sizeof end);
    exit.code = end.code;
    exit.signal = end.signal;
    exit.cpu_ns = end.cpu_ns;
    exit.max_rss_bytes = end.max_rss_bytes;
    return;
  }
}

Result<std::string> kw_jail_path() {
  const Path path = KW_TRY(executable_dir()) / "kw-jail";
  if (!is_there(path)) {
    return fail(
        ErrorCode::MissingProgram,
        "kw-jail is missing; it belongs into the folder of kw; build again, or unpack the release "
        "file again",
        path.string(), Advice::Stop);
  }
  return path.string();
}

Result<Path> find_bubblewrap() {
  auto found = find_program("bwrap");
  if (found) return found;
  if (const auto folder = executable_dir(); folder && is_there(*folder / "bwrap"))
    return *folder / "bwrap";
  return fail(ErrorCode::MissingProgram,
              "bubblewrap (bwrap), which the jail of level namespace needs, is missing: " +
                  describe(found.error()));
}

ProcessLimit process_limit_of(JailLevel level, const JailRights& rights) {
  if (rights.drops_uid) return ProcessLimit::Exact;
  if (level == JailLevel::Namespace && rights.counts_by_namespace) return ProcessLimit::Exact;
  return ProcessLimit::Shared;
}

Result<Process> launch_as(const JailSpec& spec, const JailRights& rights,
                          const std::vector<std::string>& argv) {
  KW_TRY(check_paths(spec, rights, argv));
  const std::string kw_jail = KW_TRY(kw_jail_path());
  const bool supervised = spec.level == JailLevel::Namespace;

  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno("create a socket pair for kw-jail", "", errno);
  }
  Fd ours(ends[0]);
  Fd theirs(ends[1]);
  const int on = 1;
  if (::setsockopt(ours.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return fail_errno("ask for the credentials of kw-jail (SO_PASSCRED)", "", errno);
  }

  Process::State slot;  // holds the uid until there is a process to hold it
  JailPolicy policy = make_policy(spec, rights, argv);
  if (rights.drops_uid && spec.level != JailLevel::None) {
    policy.uid = KW_TRY(take_uid(spec, slot, argv[0]));
  }
  const Fd policy_fd = KW_TRY(memfd_with("jail-policy", encode(policy)));

  SpawnOptions options;
  options.cwd = "/";
  options.stdin_data = spec.stdin_data;
  options.fds = spec.fds;
  options.out = spec.out;
  options.err = spec.err;
  options.output_cap = spec.output_cap;
  options.kill_past_cap = spec.kill_past_cap;
  for (const FdMap& map : spec.fds) KW_ASSERT(map.target < spec.max_open_files);
  options.fds.push_back({policy_fd.get(), kPolicyFd});
  options.fds.push_back({theirs.get(), kReportFd});
  const std::vector<std::string> command =
      supervised ? KW_TRY(bubblewrap_command(spec, rights, argv[0], kw_jail))
                 : std::vector<std::string>{kw_jail};
  Process process = KW_TRY(spawn(command, options));
  theirs.reset();
  Process::State& state = process.state();
  state.supervisor = std::move(ours);
  state.uid_slot = std::move(slot.uid_slot);
  if (policy.uid != kKeepUid) state.uid = policy.uid;
  if (auto running = await_running(state, supervised); !running) {
    process.kill_tree();
    const auto exit = process.wait(kForever);
    Error error = std::move(running).error();
    if (exit && !exit->err.empty()) error.what += ": " + first_line(exit->err);
    error.where = std::string(name_of(spec.level)) + " jail of " + argv[0];
    return std::unexpected(std::move(error));
  }
  return process;
}

std::string_view how_to_mend(JailLevel level) {
  switch (level) {
    case JailLevel::Namespace:
      return "apt install bubblewrap; allow unprivileged user namespaces; in a container: docker "
             "run "
             "--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt "
             "apparmor=unconfined "
             "--security-opt systempaths=unconfined";
    case JailLevel::Landlock:
      return "a kernel with Landlock (5.13 or newer), and in a container a seccomp profile that "
             "lets it through (Docker 23 or newer)";
    case JailLevel::None:
      break;
  }
  return {};
}

std::string_view what_it_lacks(JailLevel level) {
  switch (level) {
    case JailLevel::Namespace:
      break;
    case JailLevel::Landlock:
      return "files, processes and network are refused to candidates but not hidden: a candidate "
             "can tell whether a file or process exists, and on a GPU it can read the list of "
             "processes";
    case JailLevel::None:
      return "files, processes and network of this machine are open to candidates; only limits on "
             "memory, time and processes hold";
  }
  return {};
}

Result<Process> launch(const JailSpec& spec, const std::vector<std::string>& argv) {
  if (const JailFinding& finding = probe_level(spec.level); !finding.available) {
    return fail(ErrorCode::NoJail, About{std::string(name_of(spec.level))},
                "jail level " + std::string(name_of(spec.level)) +
                    " does not work here: " + finding.why_not + "; " +
                    std::string(how_to_mend(spec.level)) + "; or accept a weaker jail with --jail",
                "", Advice::Stop);
  }
  std::vector<std::string> words = argv;
  if (!words.empty()) words[0] = in_real_folder(words[0]).string();
  return launch_as(spec, our_rights(), words);
}

Result<Exit> run_jailed(const JailSpec& spec, const std::vector<std::string>& argv,
                        Nanoseconds timeout) {
  Process process = KW_TRY(launch(spec, argv));
  return process.wait(timeout);
}

}  // namespace kw::platform
