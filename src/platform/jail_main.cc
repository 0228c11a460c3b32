// kw-jail: puts the restrictions of a policy on itself and becomes the program that it is told to
// run.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "platform/confine.h"
#include "platform/jail_policy.h"
#include "platform/jail_selfcheck.h"

namespace kw::platform {
namespace {

constexpr int kSetupFailed = 125;

void report(JailReport kind, std::string_view detail = {}) {
  std::string message(1, static_cast<char>(kind));
  message += detail;
  // A failed send is ignored: if our parent is gone, nobody can be told and nobody waits for us.
  [[maybe_unused]] const ssize_t n =
      ::send(kReportFd, message.data(), message.size(), MSG_NOSIGNAL);
}

[[noreturn]] void give_up(const std::string& what) {
  report(JailReport::Failed, what);
  ::_exit(kSetupFailed);
}

/// Tells the parent which process this is, and waits until the parent holds a pidfd of it.
void introduce(JailReport kind) {
  report(kind);
  char answer = 0;
  ssize_t n = 0;
  do {
    n = ::recv(kReportFd, &answer, 1, 0);
  } while (n < 0 && errno == EINTR);
  if (n != 1) ::_exit(kSetupFailed);
}

JailPolicy read_policy() {
  std::string bytes;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while ((n = ::read(kPolicyFd, buffer.data(), buffer.size())) > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
  JailPolicy policy;
  if (n < 0 || !decode(bytes, policy) || policy.argv.empty())
    give_up("read the policy that says what the jail allows");
  ::close(kPolicyFd);
  return policy;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

/// Opens the program under the first number that the coming limit on open files puts out of reach,
/// so that once it is closed by exec nothing can ever be opened there again.
int open_program(JailPolicy& policy) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  policy.max_open_files = std::min(policy.max_open_files, std::uint64_t{files.rlim_max} - 1);
  const int target = static_cast<int>(policy.max_open_files);
  const int fd = ::open(policy.argv[0].c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) give_up("open " + policy.argv[0] + ": " + std::strerror(errno));
  if (fd != target) {
    if (::dup3(fd, target, O_CLOEXEC) < 0) give_up("keep the jailed program's file open (dup3)");
    ::close(fd);
  }
  return target;
}

/// What must be opened before the uid changes, since the jail's uid may not be allowed to enter the
/// folders of a checkout.
struct Opened {
  int program = -1;
  int ruleset = -1;  ///< Descriptor of Landlock's rules; -1: none.
};

[[noreturn]] void become_program(JailPolicy& policy, const Opened& opened) {
  std::string failed;
  const std::vector<char*> argv = pointers_to(policy.argv);
  const std::vector<char*> env = pointers_to(policy.env);
  if (!policy.cwd.empty() && ::chdir(policy.cwd.c_str()) != 0) {
    give_up("enter " + policy.cwd + ": " + std::strerror(errno));
  }
  if (opened.ruleset >= 0) failed = confine_files(opened.ruleset);
  if (failed.empty()) failed = confine_limits(policy);
  if (!failed.empty()) give_up(failed);
  introduce(JailReport::Payload);
  // The filter comes last, since the messages above need calls that it may forbid.
  if (policy.seccomp) failed = confine_calls(policy, opened.program);
  if (!failed.empty()) give_up(failed);
  ::fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
  if (policy.seccomp && !policy.new_processes) {
    ::syscall(SYS_execveat, opened.program, "", argv.data(), env.data(), AT_EMPTY_PATH);
  } else {
    ::execve(argv[0], argv.data(), env.data());
    if (errno == EACCES)
      ::syscall(SYS_execveat, opened.program, "", argv.data(), env.data(), AT_EMPTY_PATH);
  }
  give_up("execute " + policy.argv[0] + ": " + std::strerror(errno));
}

std::int64_t nanoseconds(const timeval& t) {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + std::int64_t{t.tv_usec} * 1'000;
}

/// Reaps all ended children; true once the payload has ended, with `end` filled in.
bool reap_until(pid_t payload, PayloadEnd& end) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t ended = ::wait4(-1, &status, WNOHANG, &usage);
    if (ended <= 0) return false;
    if (ended != payload) continue;
    end = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
           nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
           std::int64_t{usage.ru_maxrss} * 1024};
    return true;
  }
}

/// Waits for the payload, and ends the jail at once when our parent is gone, which shows at the
/// other end of the socket. A parent-death signal would not do: bubblewrap may not signal the
/// jail's uid.
PayloadEnd wait_for(pid_t payload, int child_signals) {
  PayloadEnd end{};
  while (!reap_until(payload, end)) {
    std::array<pollfd, 2> events{{{kReportFd, 0, 0}, {child_signals, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) ::_exit(kSetupFailed);
    if ((events[0].revents & (POLLHUP | POLLERR)) != 0) ::_exit(kSetupFailed);
    signalfd_siginfo taken{};
    [[maybe_unused]] const ssize_t n = ::read(child_signals, &taken, sizeof taken);
  }
  return end;
}

/// Runs as the first process of the namespace: when it ends, all others in the namespace end.
[[noreturn]] void supervise(JailPolicy& policy, const Opened& opened) {
  ::prctl(PR_SET_DUMPABLE, 0);
  introduce(JailReport::Supervisor);
  sigset_t child_ended;
  sigset_t as_before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_ended, &as_before);
  const int signals = ::signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  std::array<int, 2> executed{};
  if (signals < 0 || ::pipe2(executed.data(), O_CLOEXEC) != 0)
    give_up("set up the watch over the jailed program (signalfd, pipe)");
  const pid_t payload = ::fork();
  if (payload < 0) give_up(std::string("start the jailed program: ") + std::strerror(errno));
  if (payload == 0) {
    ::sigprocmask(SIG_SETMASK, &as_before, nullptr);
    become_program(policy, opened);
  }
  ::close(executed[1]);
  ::close(opened.program);
  // End of file means that the payload executed its program, or reported why not and ended.
  char none = 0;
  while (::read(executed[0], &none, 1) < 0 && errno == EINTR) {
  }
  report(JailReport::Running);
  // Only the payload may hold its outputs and channels open, or their readers would wait for us.
  const int watched = ::fcntl(signals, F_DUPFD_CLOEXEC, kReportFd + 1);
  ::syscall(SYS_close_range, 0, kReportFd - 1, 0);
  const PayloadEnd end = wait_for(payload, watched);
  report(JailReport::Ended, std::string_view(reinterpret_cast<const char*>(&end), sizeof end));
  ::_exit(end.signal != 0 ? 128 + end.signal : end.code);
}

int run_jail() {
  JailPolicy policy = read_policy();
  Opened opened{.program = open_program(policy)};
  if (policy.landlock)
    if (const std::string failed = open_ruleset(policy, opened.ruleset); !failed.empty())
      give_up(failed);
  if (const std::string failed = confine_uid(policy); !failed.empty()) give_up(failed);
  if (policy.supervise) supervise(policy, opened);
  become_program(policy, opened);
}

}  // namespace
}  // namespace kw::platform

int main(int argc, char** argv) {
  if (argc == 1) return kw::platform::run_jail();
  return kw::platform::self_check(argc, argv);
}
