// A seccomp filter written out by hand: the player links nothing that candidates could reach.
// SPDX-License-Identifier: Apache-2.0
#include "player/lockdown.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/defence.h"

namespace kw::player {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeignAbi = 0x4000'0000;  // x32 numbers
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeignAbi = 0x8000'0000;  // none exists
#else
#error "no seccomp filter for this architecture"
#endif

constexpr int kDenied[] = {
#ifdef __NR_fork
    __NR_fork,
    __NR_vfork,
#endif
    __NR_execve,
    __NR_execveat,
    __NR_socket,
    __NR_socketpair,
    __NR_connect,
    __NR_bind,
    __NR_listen,
    __NR_accept,
    __NR_accept4,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_process_madvise,
    __NR_kcmp,
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    __NR_pidfd_open,
    __NR_pidfd_getfd,
    __NR_pidfd_send_signal,
    __NR_perf_event_open,
    __NR_bpf,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_userfaultfd,
    __NR_shmget,
    __NR_shmat,
    __NR_mq_open,
    __NR_msgget,
    __NR_semget,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_keyctl,
    __NR_add_key,
    __NR_request_key,
    __NR_seccomp};

// Calls that change a file by its name; opening one is looked at by its flags.
constexpr int kChanging[] = {
#ifdef __NR_creat
    __NR_creat,       __NR_unlink,       __NR_rename,      __NR_mkdir,     __NR_rmdir,
    __NR_link,        __NR_symlink,      __NR_mknod,       __NR_chmod,     __NR_chown,
    __NR_lchown,      __NR_utime,        __NR_utimes,      __NR_futimesat,
#endif
#ifdef __NR_renameat
    __NR_renameat,
#endif
    __NR_unlinkat,    __NR_renameat2,    __NR_mkdirat,     __NR_linkat,    __NR_symlinkat,
    __NR_mknodat,     __NR_truncate,     __NR_fchmod,      __NR_fchmodat,  __NR_fchown,
    __NR_fchownat,    __NR_utimensat,    __NR_setxattr,    __NR_lsetxattr, __NR_fsetxattr,
    __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr};

constexpr std::size_t kLength =
    16 + 2 * std::max(std::size(kDenied), std::size(kChanging)) + 3 * std::size_t{5};

/// Appends instructions and counts them.
struct Program {
  std::array<sock_filter, kLength> code{};
  std::size_t size = 0;

  void load(std::size_t offset) {
    code[size++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void answer(std::uint32_t action) { code[size++] = BPF_STMT(BPF_RET | BPF_K, action); }
  void jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    code[size++] = BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, yes, no);
  }
};

constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;

/// Allows system call `number` only if the low half of argument 0 passes `test value`.
void restrict_first_argument(Program& p, int number, std::uint16_t test, std::uint32_t value) {
  p.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
  p.load(offsetof(seccomp_data, args));
  p.jump(test, value, 0, 1);
  p.answer(SECCOMP_RET_ALLOW);
  p.answer(kDeny);
}

/// Denies system call `number` if the low half of its argument `index` has any bit of `mask`.
void deny_bits(Program& p, int number, std::size_t index, std::uint32_t mask) {
  p.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
  p.load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  p.jump(BPF_JSET, mask, 0, 1);
  p.answer(kDeny);
  p.answer(SECCOMP_RET_ALLOW);
}

/// Our architecture alone, its own numbers alone; leaves the call's number loaded.
Program begin_program() {
  Program p;
  p.load(offsetof(seccomp_data, arch));
  p.jump(BPF_JEQ, kArchitecture, 1, 0);
  p.answer(SECCOMP_RET_KILL_PROCESS);
  p.load(offsetof(seccomp_data, nr));
  p.jump(BPF_JGE, kForeignAbi, 0, 1);
  p.answer(kDeny);
  return p;
}

void deny_each(Program& p, std::span<const int> numbers) {
  for (const int number : numbers) {
    p.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
    p.answer(kDeny);
  }
}

Program make_program(bool anonymous_files) {
  Program p = begin_program();
  p.jump(BPF_JEQ, __NR_clone3, 0, 1);
  p.answer(SECCOMP_RET_ERRNO | ENOSYS);
  deny_each(p, kDenied);
  constexpr int kAnonymous[] = {__NR_memfd_create};
  if (!anonymous_files) deny_each(p, kAnonymous);
  const auto self = static_cast<std::uint32_t>(::getpid());
  restrict_first_argument(p, __NR_clone, BPF_JSET, CLONE_THREAD);
  restrict_first_argument(p, __NR_kill, BPF_JEQ, self);
  restrict_first_argument(p, __NR_tgkill, BPF_JEQ, self);  // abort() and raise() need their own
  p.answer(SECCOMP_RET_ALLOW);
  return p;
}

Program make_reading_program() {
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  Program p = begin_program();
#ifdef __NR_openat2  // its flags lie in memory, where no filter sees them
  p.jump(BPF_JEQ, __NR_openat2, 0, 1);
  p.answer(SECCOMP_RET_ERRNO | ENOSYS);
#endif
  deny_each(p, kChanging);
#ifdef __NR_open
  deny_bits(p, __NR_open, 1, kWriting);
#endif
  deny_bits(p, __NR_openat, 2, kWriting);
  p.answer(SECCOMP_RET_ALLOW);
  return p;
}

int install(Program program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size), program.code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return errno;
  return 0;
}

}  // namespace

int lock_down(bool anonymous_files) {
  return is_on(Defence::SystemCalls) ? install(make_program(anonymous_files)) : 0;
}

int forbid_writing() { return install(make_reading_program()); }

}  // namespace kw::player
