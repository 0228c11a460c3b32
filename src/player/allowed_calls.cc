// The allow list of a CPU player, with the reason for every call and every argument.
// SPDX-License-Identifier: Apache-2.0
//
// The list is installed once, after the system's libraries are loaded and before anything of the
// candidate runs, so that it also holds the candidate's constructors and resolvers. The only extra
// right while the object is loaded is that one file may still be opened, which is the object
// (allow_one_more_file).
//
// No call here lets the kernel work for a candidate while its threads are stopped: none reads or
// writes a file but the object's own (4 KiB at a time), none copies memory, and none fills pages
// ahead of their use. The calls that may take long (munmap, madvise, brk and mprotect over all the
// memory that RLIMIT_AS leaves) only give memory up.
#include "player/allowed_calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <initializer_list>
#include <iterator>

#include "player/crash.h"
#include "player/filter_program.h"
#include "player/protocol.h"

namespace kw::player {
namespace {

/// Calls that are allowed whatever their arguments are.
constexpr int kPlain[] = {
    __NR_brk,                // malloc: grows its heap, which is never given back
    __NR_munmap,             // workspaces, stacks of threads that have ended
    __NR_gettid,             // raise(), and libgomp where it binds threads
    __NR_getpid,             // raise(), abort()
    __NR_sched_yield,        // barriers and spin loops of libgomp, libstdc++ and OpenBLAS
    __NR_sched_getaffinity,  // libgomp and hardware_concurrency(): the number of processors
    __NR_sched_setaffinity,  // OpenMP binds its threads; no other jail has this uid
    __NR_rt_sigprocmask,     // pthread_create; SIGSTOP cannot be blocked
    __NR_sigaltstack,        // crash handlers, armed before every call
    __NR_rt_sigreturn,       // the return from a crash handler
    __NR_restart_syscall,    // a wait for a futex with a time limit continues after a stop
    __NR_exit,               // the end of a thread
    __NR_exit_group,         // the end of the player
};

/// The flags of clone that pthread_create uses. With other flags, such as CLONE_VFORK, a thread
/// could wait where no signal stops it.
constexpr std::uint64_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                                  CLONE_CHILD_CLEARTID;

/// Futex operations of locks, barriers, condition variables and atomic::wait. Operations that are
/// not private are needed by libstdc++'s futures and guards of static variables and by
/// pthread_join; they reach another process only through shared memory, and no two lives (processes
/// of players) share any. Requeueing and inheritance of priorities stay forbidden, since no current
/// library asks for them.
constexpr std::uint64_t kWaiting[] = {
    FUTEX_WAIT_PRIVATE,
    FUTEX_WAKE_PRIVATE,
    FUTEX_WAIT_BITSET_PRIVATE,
    FUTEX_WAKE_BITSET_PRIVATE,
    FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME,
    FUTEX_WAIT,
    FUTEX_WAKE,
    FUTEX_WAIT_BITSET,
    FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME,
};

/// Allowed advice of madvise: DONTNEED for stacks of threads that have ended, HUGEPAGE for malloc's
/// workspaces of megabytes. Other advice fails with EINVAL, as on a kernel that does not know it:
/// POPULATE_* and WILLNEED are work that no stop interrupts; FREE and COLD leave work behind for
/// whoever runs next; PAGEOUT, COLLAPSE and REMOVE change pages that others see.
constexpr std::uint64_t kAdvice[] = {MADV_DONTNEED, MADV_HUGEPAGE};

constexpr std::uint64_t kOutputs[] = {1, 2};  // output goes to /dev/null
constexpr std::uint64_t kReadWrite = PROT_READ | PROT_WRITE;
constexpr std::uint64_t kMostRead = 4096;  // the loader reads 832 bytes, and program headers
constexpr std::uint64_t kLoadersFlags = O_RDONLY | O_CLOEXEC;

/// Appends rules in order; the first that matches decides.
class Rules {
 public:
  explicit Rules(FilterProgram& program) : p_(program) {}

  /// Begins a rule for one call. Conditions follow, then allow().
  Rules& of(int number) {
    jumps_ = 0;
    p_.load_number();
    require(BPF_JEQ, static_cast<std::uint32_t>(number));
    return *this;
  }
  /// Requires a 32-bit argument to be one of these values; the kernel ignores the upper half.
  Rules& is(std::size_t argument, std::uint64_t value) {
    p_.load_half(argument, false);
    require(BPF_JEQ, static_cast<std::uint32_t>(value));
    return *this;
  }
  Rules& is_one_of(std::size_t argument, std::span<const std::uint64_t> values) {
    p_.load_half(argument, false);
    for (std::size_t left = values.size(); left > 1; --left)
      p_.jump(BPF_JEQ, static_cast<std::uint32_t>(values[values.size() - left]),
              static_cast<std::uint8_t>(left), 0);
    require(BPF_JEQ, static_cast<std::uint32_t>(values.back()));
    return *this;
  }
  /// Requires a 64-bit argument to equal `value` except in the bits of `free`.
  Rules& is_but_for(std::size_t argument, std::uint64_t value, std::uint64_t free) {
    for (const bool is_upper : {true, false}) {
      const int shift = is_upper ? 32 : 0;
      p_.load_half(argument, is_upper);
      if (free >> shift != 0) p_.mask(~static_cast<std::uint32_t>(free >> shift));
      require(BPF_JEQ, static_cast<std::uint32_t>(value >> shift));
    }
    return *this;
  }
  Rules& is_at_most(std::size_t argument, std::uint32_t value) {
    p_.load_half(argument, true);
    require(BPF_JEQ, 0);
    p_.load_half(argument, false);
    p_.jump(BPF_JGT, value, 0, 1);
    fail();
    return *this;
  }
  void answer(std::uint32_t action) {
    p_.answer(action);
    for (std::size_t i = 0; i < jumps_; ++i)
      p_.code[failed_[i]].k = static_cast<std::uint32_t>(p_.size - failed_[i] - 1);
  }
  void allow() { answer(kAllow); }

 private:
  void require(std::uint16_t test, std::uint32_t value) {
    p_.jump(test, value, 1, 0);
    fail();
  }
  /// Jumps to the next rule, whose place is filled in later.
  void fail() {
    failed_[jumps_++] = p_.size;
    p_.code[p_.size++] = BPF_STMT(BPF_JMP | BPF_JA, 0);
  }

  static constexpr std::size_t kMostConditions = 16;
  FilterProgram& p_;
  std::size_t failed_[kMostConditions] = {};
  std::size_t jumps_ = 0;
};

void allow_threads(Rules& rules) {
  rules.of(__NR_futex).is_one_of(1, kWaiting).allow();
  rules.of(__NR_clone).is_but_for(0, kThread, 0).allow();
}

void allow_answers(Rules& rules) {
  for (const int call : {__NR_recvmsg, __NR_sendmsg}) rules.of(call).is(0, kChannelFd).allow();
  for (const int call : {__NR_write, __NR_writev}) rules.of(call).is_one_of(0, kOutputs).allow();
}

/// Allows private memory, in which nothing can be executed.
void allow_memory(Rules& rules) {
  rules.of(__NR_mmap)
      .is_but_for(2, 0, kReadWrite)
      .is_but_for(3, MAP_PRIVATE | MAP_ANONYMOUS,
                  MAP_NORESERVE | MAP_STACK | MAP_FIXED | MAP_FIXED_NOREPLACE)
      .allow();
  rules.of(__NR_mprotect).is_but_for(2, 0, kReadWrite).allow();
  rules.of(__NR_madvise).is_one_of(2, kAdvice).allow();
  rules.of(__NR_madvise).answer(kInvalid);
}

/// Allows a crash handler to raise its signal again after the report.
void allow_crashes(Rules& rules) {
  std::uint64_t fatal[std::size(kFatalSignals)];
  for (std::size_t i = 0; i < std::size(fatal); ++i)
    fatal[i] = static_cast<std::uint64_t>(kFatalSignals[i]);
  rules.of(__NR_rt_sigaction).is_one_of(0, fatal).allow();
  rules.of(__NR_tgkill).is(0, static_cast<std::uint64_t>(::getpid())).is_one_of(2, fatal).allow();
}

/// Allows the loader to open the object, to read its header and to map it.
void allow_loading(Rules& rules, const LoadingRights& loading) {
  const auto file = static_cast<std::uint64_t>(loading.descriptor);
  rules.of(__NR_openat).is(0, static_cast<std::uint64_t>(AT_FDCWD)).is(2, kLoadersFlags).allow();
  for (const int call : {__NR_read, __NR_pread64})
    rules.of(call).is(0, file).is_at_most(2, kMostRead).allow();
  rules.of(__NR_fstat).is(0, file).allow();
  rules.of(__NR_newfstatat).is(0, file).is(3, AT_EMPTY_PATH).allow();
  constexpr std::uint64_t kPlacement = MAP_FIXED | MAP_DENYWRITE;
  rules.of(__NR_mmap)
      .is_but_for(2, 0, kReadWrite)
      .is_but_for(3, MAP_PRIVATE, kPlacement)
      .is(4, file)
      .allow();
  for (const CodeSegment& segment : loading.code)
    rules.of(__NR_mmap)
        .is_at_most(1, segment.bytes)
        .is_but_for(2, PROT_READ | PROT_EXEC, 0)
        .is_but_for(3, MAP_PRIVATE, kPlacement)
        .is(4, file)
        .is_but_for(5, segment.offset, 0)
        .allow();
}

}  // namespace

int allow_calls_of_kernels(const LoadingRights& loading) {
  if (loading.code.size() > kMostCodeSegments) return E2BIG;
  FilterProgram p;
  p.begin();
  for (const int number : kPlain) p.answer_if(number, kAllow);
  p.answer_if(__NR_clone3, kMissing);  // its flags lie in memory; the C library falls back
  p.answer_if(__NR_close, kPretend);   // see allow_one_more_file
  Rules rules(p);
  allow_threads(rules);
  allow_answers(rules);
  allow_memory(rules);
  allow_crashes(rules);
  if (loading.descriptor >= 0) allow_loading(rules, loading);
  p.answer(kDeny);
  return p.install(true);
}

int allow_one_more_file(int descriptor) {
  const auto count = static_cast<rlim_t>(descriptor) + 1;
  const rlimit limit{count, count};
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

}  // namespace kw::player
