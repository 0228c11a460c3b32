// Seccomp filters that deny listed calls, for GPU players (whose driver needs many calls) and for
// compilers.
// SPDX-License-Identifier: Apache-2.0
#include "player/lockdown.h"

#include <fcntl.h>
#include <sched.h>

#include <iterator>
#include <span>

#include "base/defence.h"
#include "player/filter_program.h"

namespace kw::player {
namespace {

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

// Calls that change a file by its name. Opening a file is judged by its flags instead.
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

static_assert(32 + 2 * (std::size(kDenied) + std::size(kChanging)) < FilterProgram::kMost);

/// Allows system call `number` only if the low half of argument 0 passes the comparison `test` with
/// `value`.
void restrict_first_argument(FilterProgram& p, int number, std::uint16_t test,
                             std::uint32_t value) {
  p.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
  p.load_half(0, false);
  p.jump(test, value, 0, 1);
  p.answer(kAllow);
  p.answer(kDeny);
}

/// Denies system call `number` if the low half of its argument `index` has any bit of `mask`.
void deny_bits(FilterProgram& p, int number, std::size_t index, std::uint32_t mask) {
  p.jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
  p.load_half(index, false);
  p.jump(BPF_JSET, mask, 0, 1);
  p.answer(kDeny);
  p.answer(kAllow);
}

void deny_each(FilterProgram& p, std::span<const int> numbers) {
  for (const int number : numbers) p.answer_if(number, kDeny);
}

FilterProgram make_program(bool anonymous_files) {
  FilterProgram p;
  p.begin();
  p.answer_if(__NR_clone3, kMissing);
  deny_each(p, kDenied);
  constexpr int kAnonymous[] = {__NR_memfd_create};
  if (!anonymous_files) deny_each(p, kAnonymous);
  const auto self = static_cast<std::uint32_t>(::getpid());
  restrict_first_argument(p, __NR_clone, BPF_JSET, CLONE_THREAD);
  restrict_first_argument(p, __NR_kill, BPF_JEQ, self);
  // The calls abort() and raise() signal their own process.
  restrict_first_argument(p, __NR_tgkill, BPF_JEQ, self);
  p.answer(kAllow);
  return p;
}

FilterProgram make_reading_program() {
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  FilterProgram p;
  p.begin();
#ifdef __NR_openat2  // its flags lie in memory, which a filter cannot read
  p.answer_if(__NR_openat2, kMissing);
#endif
  deny_each(p, kChanging);
#ifdef __NR_open
  deny_bits(p, __NR_open, 1, kWriting);
#endif
  deny_bits(p, __NR_openat, 2, kWriting);
  p.answer(kAllow);
  return p;
}

}  // namespace

int lock_down(bool anonymous_files) {
  return is_on(Defence::SystemCalls) ? make_program(anonymous_files).install() : 0;
}

int forbid_writing() { return make_reading_program().install(); }

}  // namespace kw::player
