// Clones, sets up and executes a child by system calls alone, without allocation or locks.
// SPDX-License-Identifier: Apache-2.0
#include "platform/vfork_exec.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

/// glibc's internal name of clone(). ThreadSanitizer replaces the public one by a wrapper that
/// prepares for a fork, and then reports races on the child's stack, which we share.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace kw::platform {
namespace {

/// More than enough for the functions below: their frames take a few hundred bytes.
constexpr std::size_t kStackBytes = 64 << 10;
/// Most descriptors that a child may be given; the copies lie on its stack.
constexpr std::size_t kMaxFds = 512;

struct ChildContext {
  const ExecRequest* request;
  pid_t parent;
  sigset_t old_mask;
  ExecOutcome* outcome;
};

// The sanitizers' instrumentation keeps state per thread that the child must not touch.
#define KW_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

KW_IN_CHILD bool map_descriptors(std::span<const FdMap> fds) {
  std::array<int, kMaxFds> copies;
  const int above = fds.back().target + 1;
  // Descriptors are first copied above all targets and then to their targets, which also clears
  // close-on-exec.
  for (std::size_t i = 0; i < fds.size(); ++i) {
    copies[i] = ::fcntl(fds[i].source, F_DUPFD_CLOEXEC, above);
    if (copies[i] < 0) return false;
  }
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if (::syscall(SYS_dup3, copies[i], fds[i].target, 0) < 0) return false;
  }
  int next = 0;
  for (const FdMap& map : fds) {
    if (map.target > next) {
      ::syscall(SYS_close_range, next, map.target - 1, CLOSE_RANGE_CLOEXEC);
    }
    next = map.target + 1;
  }
  return ::syscall(SYS_close_range, next, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/// The kernel's sigaction, since sanitizers intercept that of libc and note it in shared memory.
struct KernelSigaction {
  void (*handler)(int) = nullptr;  // SIG_DFL
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  std::uint64_t mask = 0;
};

/// Restores default actions: ignored signals would stay ignored across exec.
KW_IN_CHILD void restore_signals(const sigset_t& mask) {
  const KernelSigaction by_default;
  for (int number = 1; number < NSIG; ++number) {
    ::syscall(SYS_rt_sigaction, number, &by_default, nullptr, sizeof by_default.mask);
  }
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof by_default.mask);
}

KW_IN_CHILD const char* prepare(const ChildContext& context) {
  const ExecRequest& request = *context.request;
  if (request.new_session && ::setsid() < 0) return "start a new session for the program";
  if (request.die_with_parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
      return "set the parent-death signal of the program";
    if (::getppid() != context.parent) ::_exit(127);  // the parent died before the line above
  }
  if (!map_descriptors(request.fds)) return "pass file descriptors to the program";
  for (const ResourceLimit& limit : request.limits) {
    const rlimit value{limit.value, limit.value};
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &value) != 0) {
      return "limit";
    }
  }
  if (request.cwd != nullptr && ::chdir(request.cwd) != 0) return kStageCwd;
  return nullptr;
}

KW_IN_CHILD int child_main(void* argument) {
  const auto& context = *static_cast<const ChildContext*>(argument);
  const char* failed = prepare(context);
  if (failed == nullptr) {
    restore_signals(context.old_mask);
    ::execve(context.request->program, context.request->argv, context.request->env);
    failed = "execute";
  }
  context.outcome->error = errno;
  context.outcome->stage = failed;
  ::_exit(127);
}

}  // namespace

ExecOutcome vfork_exec(const ExecRequest& request) {
  KW_ASSERT(request.fds.size() <= kMaxFds);
  ExecOutcome outcome;
  void* stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return {0, errno, "start"};

  ChildContext context{&request, ::getpid(), {}, &outcome};
  sigset_t all;
  sigfillset(&all);
  // Signals are blocked, since a handler of ours must not run in the child, which shares our
  // memory.
  ::pthread_sigmask(SIG_BLOCK, &all, &context.old_mask);
  const int pid = ::__clone(child_main, static_cast<char*>(stack) + kStackBytes,
                            CLONE_VM | CLONE_VFORK | SIGCHLD, &context);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &context.old_mask, nullptr);
  ::munmap(stack, kStackBytes);

  if (pid < 0) return {0, clone_error, "start"};
  outcome.pid = pid;
  if (outcome.error != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    outcome.pid = 0;
  }
  return outcome;
}

}  // namespace kw::platform
