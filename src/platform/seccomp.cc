// Filters system calls: denies those that neither a compiler nor a numeric kernel needs.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "platform/confine.h"

namespace kw::platform {
namespace {

/// Calls that the headers of the build may lack, for which libseccomp would silently skip a rule by
/// name. From number 424 on all architectures agree.
enum NewCall : int {
  kQuotactlFd = 443,       // Linux 5.14
  kMemfdSecret = 447,      // Linux 5.14
  kProcessMrelease = 448,  // Linux 5.15
  kFchmodat2 = 452,        // Linux 6.6
  kSetxattrat = 463,       // Linux 6.13, as the next three
  kGetxattrat = 464,
  kListxattrat = 465,
  kRemovexattrat = 466,
  kOpenTreeAttr = 467,  // Linux 6.15
  kFileSetattr = 469,   // Linux 6.17
};

/// A filter under construction; keeps the first failure.
class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) error_ = ENOMEM;
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() {
    if (context_ != nullptr) ::seccomp_release(context_);
  }

  void deny(int call) { add(call, EPERM, {}); }
  void deny_all(std::initializer_list<int> calls) {
    for (const int call : calls) deny(call);
  }
  /// Denies the call where all comparisons hold.
  void deny_if(int call, std::initializer_list<scmp_arg_cmp> comparisons) {
    add(call, EPERM, comparisons);
  }
  void pretend_missing(int call) { add(call, ENOSYS, {}); }

  std::string load() {
    if (error_ == 0) error_ = -::seccomp_load(context_);
    return error_ == 0 ? ""
                       : std::string("install the seccomp filter of system calls: ") +
                             std::strerror(error_);
  }

 private:
  void add(int call, std::uint32_t error, std::initializer_list<scmp_arg_cmp> comparisons) {
    if (error_ != 0) return;
    error_ =
        -::seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(error), call,
                                  static_cast<unsigned>(comparisons.size()), comparisons.begin());
  }

  scmp_filter_ctx context_;
  int error_ = 0;
};

scmp_arg_cmp argument(unsigned index, scmp_compare how, std::uint64_t a, std::uint64_t b = 0) {
  return {index, how, a, b};
}

/// Equality of a 32-bit parameter. A rule that denies must ignore the register's upper half, as the
/// kernel does.
scmp_arg_cmp is_int(unsigned index, unsigned value) {
  return argument(index, SCMP_CMP_MASKED_EQ, 0xffff'ffff, value);
}

/// Keeps inherited sockets working but denies new ones: all of them, or all but local ones, or all
/// but local and internet ones (in a network namespace).
void deny_sockets(Filter& f, bool allows_local, bool allows_internet) {
  if (allows_internet) {
    // Ranges are used, since one rule may look at an argument only once.
    static_assert(AF_UNIX < AF_INET && AF_INET < AF_INET6);
    f.deny_if(SCMP_SYS(socket), {argument(0, SCMP_CMP_GT, AF_INET6)});
    for (unsigned family = 0; family < AF_INET6; ++family)
      if (family != AF_UNIX && family != AF_INET) f.deny_if(SCMP_SYS(socket), {is_int(0, family)});
    return;
  }
  if (allows_local) {
    f.deny_if(SCMP_SYS(socket), {argument(0, SCMP_CMP_NE, AF_UNIX)});
    return;
  }
  f.deny_all({SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(bind), SCMP_SYS(connect),
              SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4)});
}

void deny_kernel_surface(Filter& f) {
  // Calls that reach into other processes: memory, descriptors, tracing.
  f.deny_all({SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
              SCMP_SYS(process_madvise), SCMP_SYS(kcmp), SCMP_SYS(pidfd_getfd),
              SCMP_SYS(pidfd_send_signal), kProcessMrelease, SCMP_SYS(perf_event_open)});
  // Large parts of the kernel that have been ways out of jails before.
  f.deny_all({SCMP_SYS(bpf), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
              SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(keyctl),
              SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(fanotify_init),
              SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at), SCMP_SYS(lookup_dcookie)});
  // Memory that even the kernel cannot read.
  f.deny(kMemfdSecret);
  // Calls that change mounts, the clock and other parts of the system.
  f.deny_all({SCMP_SYS(mount),         SCMP_SYS(umount2),         SCMP_SYS(pivot_root),
              SCMP_SYS(chroot),        SCMP_SYS(move_mount),      SCMP_SYS(open_tree),
              SCMP_SYS(fsopen),        SCMP_SYS(fsconfig),        SCMP_SYS(fsmount),
              SCMP_SYS(fspick),        SCMP_SYS(mount_setattr),   SCMP_SYS(unshare),
              SCMP_SYS(setns),         SCMP_SYS(swapon),          SCMP_SYS(swapoff),
              SCMP_SYS(reboot),        SCMP_SYS(sethostname),     SCMP_SYS(setdomainname),
              SCMP_SYS(init_module),   SCMP_SYS(finit_module),    SCMP_SYS(delete_module),
              SCMP_SYS(kexec_load),    SCMP_SYS(kexec_file_load), SCMP_SYS(acct),
              SCMP_SYS(quotactl),      SCMP_SYS(syslog),          SCMP_SYS(settimeofday),
              SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime),   SCMP_SYS(adjtimex),
              SCMP_SYS(iopl),          SCMP_SYS(ioperm),          SCMP_SYS(vhangup),
              SCMP_SYS(personality)});
  f.deny_all({kOpenTreeAttr, kQuotactlFd});
  // Calls by which a process could meet the programs of another jail (by ids, which can be guessed)
  // or outlive its own jail.
  f.deny_all({SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmctl), SCMP_SYS(msgget),
              SCMP_SYS(msgsnd), SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(semget),
              SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl), SCMP_SYS(mq_open),
              SCMP_SYS(mq_unlink), SCMP_SYS(setsid), SCMP_SYS(setpgid)});
  // A process must not evade the death of its parent. seccomp() stays allowed: a player adds a
  // tighter filter before it loads foreign code, and that filter forbids further ones.
  f.deny_if(SCMP_SYS(prctl), {is_int(0, PR_SET_SECCOMP)});
  f.deny_if(SCMP_SYS(prctl), {is_int(0, PR_SET_PDEATHSIG)});
}

/// Denies signals to other processes; `self` is the only one that may be addressed by number.
void deny_other_processes(Filter& f, bool shares_uid, std::uint64_t self) {
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)}) {
    f.deny_if(call, {argument(0, SCMP_CMP_NE, self)});
  }
  f.deny(SCMP_SYS(tkill));
  // fcntl is denied too: it can name any process as the owner of a descriptor, and the kernel
  // signals the owner.
  for (const unsigned command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) {
    f.deny_if(SCMP_SYS(fcntl), {is_int(1, command)});
  }
  for (const unsigned command : {FIOSETOWN, SIOCSPGRP}) {
    f.deny_if(SCMP_SYS(ioctl), {is_int(1, command)});
  }
  f.deny_if(SCMP_SYS(prlimit64), {argument(0, SCMP_CMP_NE, 0)});
  if (!shares_uid) return;
  // The payload runs with our uid here, so it could slow our processes down. Threads are pinned by
  // ids that are unknown here, so an OpenMP runtime that binds its threads cannot do so at this
  // level.
  for (const int call : {SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
                         SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr)}) {
    f.deny_if(call, {argument(0, SCMP_CMP_NE, 0)});
  }
  f.deny_all({SCMP_SYS(setpriority), SCMP_SYS(ioprio_set)});
}

void deny_new_processes(Filter& f, int exec_fd) {
  f.deny_all({SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve)});
  f.deny_if(SCMP_SYS(clone), {argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
  f.deny_if(SCMP_SYS(execveat), {argument(0, SCMP_CMP_NE, static_cast<std::uint64_t>(exec_fd))});
}

/// Landlock does not cover metadata: with our uid, a candidate could lock us out of our own files.
void deny_metadata_changes(Filter& f) {
  f.deny_all({SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown),
              SCMP_SYS(fchown), SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(setxattr),
              SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(removexattr),
              SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(utime), SCMP_SYS(utimes),
              SCMP_SYS(utimensat), SCMP_SYS(futimesat), SCMP_SYS(truncate)});
  f.deny_all({kFchmodat2, kSetxattrat, kGetxattrat, kListxattrat, kRemovexattrat, kFileSetattr});
  f.deny_if(SCMP_SYS(ioctl), {is_int(1, FS_IOC_SETFLAGS)});
  f.deny_if(SCMP_SYS(ioctl), {is_int(1, FS_IOC_FSSETXATTR)});
}

}  // namespace

std::string confine_calls(const JailPolicy& policy, int exec_fd) {
  Filter f;
  deny_sockets(f, policy.local_sockets, policy.private_network);
  deny_kernel_surface(f);
  // A filter cannot see clone3's flags, so the call is declared missing; glibc falls back to clone.
  f.pretend_missing(SCMP_SYS(clone3));
  for (const unsigned flag : {CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWIPC,
                              CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    f.deny_if(SCMP_SYS(clone), {argument(0, SCMP_CMP_MASKED_EQ, flag, flag)});
  }
  if (policy.new_processes) {
    // A jail that may start processes must be able to signal its children, whose pids this filter
    // cannot know. Processes outside are out of reach anyway, unless the jail has our uid and
    // Landlock is too old (below ABI 6) to keep signals inside.
    if (policy.shares_uid && landlock_abi() < 6) {
      deny_other_processes(f, true, static_cast<std::uint64_t>(::getpid()));
    }
  } else {
    deny_other_processes(f, policy.shares_uid, static_cast<std::uint64_t>(::getpid()));
    deny_new_processes(f, exec_fd);
    deny_metadata_changes(f);
  }
  return f.load();
}

}  // namespace kw::platform
