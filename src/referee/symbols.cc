// The tables behind symbol screening. Names follow glibc 2.36, libgomp and libstdc++ 12.
// SPDX-License-Identifier: Apache-2.0
#include "referee/symbols.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/contains.h"

namespace kw::referee {
namespace {

struct Group {
  std::string_view why;
  std::span<const std::string_view> names;
};

constexpr std::string_view kProcesses[] = {
    "fork",        "vfork",        "_Fork",   "clone",    "clone3", "system",  "popen",
    "posix_spawn", "posix_spawnp", "execl",   "execle",   "execlp", "execv",   "execve",
    "execvp",      "execvpe",      "fexecve", "execveat", "wait",   "waitpid", "daemon"};
constexpr std::string_view kThreads[] = {
    "pthread_create", "thrd_create",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"};
constexpr std::string_view kCode[] = {"dlopen", "dlmopen",          "dlsym",       "dlvsym",
                                      "dlinfo", "dl_iterate_phdr",  "mprotect",    "pkey_mprotect",
                                      "mremap", "remap_file_pages", "memfd_create"};
constexpr std::string_view kFiles[] = {
    "open",     "open64",    "openat",  "openat64", "creat",    "fopen",   "fopen64", "fdopen",
    "freopen",  "tmpfile",   "mkstemp", "opendir",  "readdir",  "scandir", "unlink",  "unlinkat",
    "remove",   "rename",    "mkdir",   "rmdir",    "symlink",  "link",    "chmod",   "chown",
    "truncate", "ftruncate", "read",    "pread",    "write",    "pwrite",  "writev",  "readv",
    "sendfile", "splice",    "ioctl",   "fcntl",    "dup",      "dup2",    "dup3",    "pipe",
    "pipe2",    "close",     "lseek",   "readlink", "realpath", "chdir",   "chroot",  "mount"};
constexpr std::string_view kNetwork[] = {
    "socket", "socketpair", "connect", "bind",     "listen",  "accept",      "accept4",      "send",
    "sendto", "sendmsg",    "recv",    "recvfrom", "recvmsg", "getaddrinfo", "gethostbyname"};
constexpr std::string_view kClocks[] = {"clock_gettime",
                                        "clock_getres",
                                        "clock_nanosleep",
                                        "gettimeofday",
                                        "time",
                                        "clock",
                                        "times",
                                        "ftime",
                                        "timespec_get",
                                        "getrusage",
                                        "omp_get_wtime",
                                        "omp_get_wtick",
                                        "nanosleep",
                                        "usleep",
                                        "sleep",
                                        "timer_create",
                                        "timerfd_create",
                                        "setitimer",
                                        "alarm",
                                        "_ZNSt6chrono3_V212system_clock3nowEv",
                                        "_ZNSt6chrono3_V212steady_clock3nowEv",
                                        "_ZNSt6chrono12system_clock3nowEv",
                                        "_ZNSt6chrono12steady_clock3nowEv"};
constexpr std::string_view kEnvironment[] = {"getenv",   "secure_getenv", "setenv",  "putenv",
                                             "unsetenv", "clearenv",      "environ", "__environ"};
constexpr std::string_view kSignals[] = {
    "signal",     "sigaction",   "sigprocmask",   "pthread_sigmask", "sigaltstack", "kill",
    "tgkill",     "killpg",      "pthread_kill",  "raise",           "sigqueue",    "signalfd",
    "bsd_signal", "sysv_signal", "__sysv_signal", "sigset"};
constexpr std::string_view kLimits[] = {"syscall",
                                        "prctl",
                                        "arch_prctl",
                                        "ptrace",
                                        "setrlimit",
                                        "setrlimit64",
                                        "prlimit",
                                        "prlimit64",
                                        "seccomp",
                                        "personality",
                                        "process_vm_readv",
                                        "process_vm_writev",
                                        "shm_open",
                                        "shmget",
                                        "shmat",
                                        "perf_event_open",
                                        "setpriority",
                                        "nice",
                                        "sched_setscheduler",
                                        "sched_setaffinity",
                                        "pthread_setaffinity_np",
                                        "setuid",
                                        "setgid",
                                        "unshare",
                                        "setns",
                                        "capset",
                                        "iopl",
                                        "ioperm",
                                        "mlockall",
                                        "userfaultfd",
                                        "pidfd_open"};

constexpr Group kForbidden[] = {
    {"starts other programs or processes", kProcesses},
    {"starts threads; OpenMP is the way to use several cores", kThreads},
    {"loads code or changes the protection of memory", kCode},
    {"opens, reads or writes files", kFiles},
    {"uses the network", kNetwork},
    {"looks at clocks or waits", kClocks},
    {"reads or changes the environment", kEnvironment},
    {"sends signals or changes how they are handled", kSignals},
    {"reaches for the system beneath the C library", kLimits}};

struct Prefix {
  std::string_view text;
  std::string_view why;
};
constexpr Prefix kForbiddenPrefixes[] = {
    {"_ZNSt14basic_ifstream", "opens, reads or writes files"},
    {"_ZNSt14basic_ofstream", "opens, reads or writes files"},
    {"_ZNSt13basic_fstream", "opens, reads or writes files"},
    {"_ZNSt13basic_filebuf", "opens, reads or writes files"},
    {"_ZNSt12__basic_file", "opens, reads or writes files"},
    {"_ZNSt10filesystem", "opens, reads or writes files"},
    {"_ZNSt6thread15_M_start_thread", "starts threads; OpenMP is the way to use several cores"}};

// Ending the process is no answer to a call, so exit() needs no ban; an honest kernel may use it
// where memory runs out.
constexpr std::string_view kOrdinary[] = {"exit",           "_exit",         "_Exit",
                                          "quick_exit",     "malloc",        "calloc",
                                          "realloc",        "free",          "aligned_alloc",
                                          "posix_memalign", "memalign",      "mmap",
                                          "munmap",         "madvise",       "memcpy",
                                          "memmove",        "memset",        "memcmp",
                                          "memchr",         "strlen",        "strcmp",
                                          "abort",          "__assert_fail", "qsort",
                                          "bsearch",        "abs",           "labs",
                                          "rand",           "rand_r",        "srand",
                                          "sysconf",        "sched_yield",   "sched_getcpu",
                                          "get_nprocs",     "printf",        "puts",
                                          "putchar",        "fprintf",       "stderr",
                                          "stdout",         "fputs",         "fwrite",
                                          "fesetround",     "fegetround",    "feholdexcept",
                                          "fesetenv",       "feclearexcept", "sigsetjmp",
                                          "setjmp",         "longjmp",       "__errno_location",
                                          "__tls_get_addr"};
constexpr std::string_view kOrdinaryPrefixes[] = {
    "GOMP_",        "omp_",          "__kmpc_",        "_Z",
    "__cxa_",       "_ITM_",         "__gmon_start__", "__gxx_personality",
    "_Unwind_",     "__stack_chk",   "__cpu_",         "__mem",
    "__printf_chk", "__fprintf_chk", "cblas_",         "openblas_",
    "__dso_handle", "pthread_mutex", "pthread_once",   "__pthread_key_create",
    "__sync",       "__atomic"};
constexpr std::string_view kMath[] = {
    "acos",      "acosh",     "asin",  "asinh",     "atan",  "atan2",  "atanh",   "cbrt",
    "ceil",      "copysign",  "cos",   "cosh",      "erf",   "erfc",   "exp",     "exp10",
    "exp2",      "expm1",     "fabs",  "fdim",      "floor", "fma",    "fmax",    "fmin",
    "fmod",      "frexp",     "hypot", "ilogb",     "ldexp", "lgamma", "llrint",  "llround",
    "log",       "log10",     "log1p", "log2",      "logb",  "lrint",  "lround",  "modf",
    "nearbyint", "nextafter", "pow",   "remainder", "rint",  "round",  "scalbln", "scalbn",
    "sin",       "sincos",    "sinh",  "sqrt",      "tan",   "tanh",   "tgamma",  "trunc"};
constexpr std::string_view kTakenPrefixes[] = {"GOMP_",   "omp_", "__kmpc_", "pthread_",
                                               "__libc_", "_dl_", "__cxa_",  "__tls_"};
constexpr std::string_view kAllocators[] = {"_Znwm",   "_Znam",   "_ZdlPv", "_ZdaPv",
                                            "_ZdlPvm", "_ZdaPvm", "_start", "main"};

bool starts_with_one_of(std::span<const std::string_view> prefixes, std::string_view name) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// "expf", "__expf_finite" and "exp" are one function.
bool is_math(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  if (name.ends_with("_finite")) name.remove_suffix(7);
  if (contains(kMath, name)) return true;
  if (name.ends_with('f') || name.ends_with('l')) name.remove_suffix(1);
  return contains(kMath, name);
}

}  // namespace

std::optional<std::string_view> forbidden_import(std::string_view name) {
  // glibc exports many functions a second time as __name.
  std::string_view plain = name;
  plain.remove_prefix(std::min(plain.find_first_not_of('_'), plain.size()));
  for (const Group& group : kForbidden)
    if (contains(group.names, name) || contains(group.names, plain)) return group.why;
  for (const Prefix& prefix : kForbiddenPrefixes)
    if (name.starts_with(prefix.text)) return prefix.why;
  return std::nullopt;
}

bool is_ordinary_import(std::string_view name) {
  return contains(kOrdinary, name) || starts_with_one_of(kOrdinaryPrefixes, name) || is_math(name);
}

bool is_system_name(std::string_view name) {
  // A weak C++ template of ours shares only the prefix "_Z"; plain C names are taken exactly.
  return forbidden_import(name).has_value() || contains(kOrdinary, name) ||
         contains(kAllocators, name) || starts_with_one_of(kTakenPrefixes, name) || is_math(name);
}

}  // namespace kw::referee
