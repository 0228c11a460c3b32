// Seccomp programs written by hand, so that players link no library that candidates could reach.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace kw::player {

#if defined(__x86_64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
inline constexpr std::uint32_t kForeignAbi = 0x4000'0000;  // bit of x32 call numbers
#elif defined(__aarch64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
inline constexpr std::uint32_t kForeignAbi = 0x8000'0000;  // no second ABI exists
#else
#error "no seccomp filter for this architecture"
#endif

/// Answers of a filter to a system call.
inline constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
inline constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
inline constexpr std::uint32_t kMissing = SECCOMP_RET_ERRNO | ENOSYS;
inline constexpr std::uint32_t kInvalid = SECCOMP_RET_ERRNO | EINVAL;
/// Makes a call return 0 without doing anything.
inline constexpr std::uint32_t kPretend = SECCOMP_RET_ERRNO | 0;

/// A filter under construction: appends instructions and counts them.
struct FilterProgram {
  static constexpr std::size_t kMost = 512;

  std::array<sock_filter, kMost> code{};
  std::size_t size = 0;

  void load(std::size_t offset) {
    code[size++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  /// Loads one half of an argument; both architectures are little-endian.
  void load_half(std::size_t argument, bool is_upper) {
    load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t) +
         (is_upper ? sizeof(std::uint32_t) : 0));
  }
  void answer(std::uint32_t action) { code[size++] = BPF_STMT(BPF_RET | BPF_K, action); }
  void mask(std::uint32_t bits) { code[size++] = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits); }
  void jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    code[size++] = BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, yes, no);
  }
  void answer_if(int number, std::uint32_t action) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
    answer(action);
  }
  /// Kills the process for another architecture, denies another ABI's numbers, and leaves the
  /// call's number loaded.
  void begin() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load_number();
    jump(BPF_JGE, kForeignAbi, 0, 1);
    answer(kDeny);
  }
  /// Installs the filter, for good, on this thread and the threads that it will start, or on every
  /// thread of the process. Returns 0 or the errno.
  int install(bool on_every_thread = false) const {
    const sock_fprog filter{static_cast<unsigned short>(size),
                            const_cast<sock_filter*>(code.data())};
    const unsigned flags = on_every_thread ? SECCOMP_FILTER_FLAG_TSYNC : 0;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    const long result = ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    if (result < 0) return errno;
    // A positive result is the number of a thread that could not follow.
    return result == 0 ? 0 : ESRCH;
  }
};

}  // namespace kw::player
