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
  EvidenceKind refusal;
  std::span<const std::string_view> names;
};

constexpr std::string_view kProcesses[] = {
    "fork",        "vfork",        "_Fork",   "clone",    "clone3", "system",  "popen",
    "posix_spawn", "posix_spawnp", "execl",   "execle",   "execlp", "execv",   "execve",
    "execvp",      "execvpe",      "fexecve", "execveat", "wait",   "waitpid", "daemon"};
constexpr std::string_view kBinding[] = {"setpriority",
                                         "nice",
                                         "sched_setscheduler",
                                         "sched_setparam",
                                         "sched_setaffinity",
                                         "pthread_setaffinity_np",
                                         "pthread_setschedparam",
                                         "pthread_setschedprio",
                                         "mlock",
                                         "mlockall"};
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
constexpr std::string_view kLimits[] = {"prctl",
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
                                        "setuid",
                                        "setgid",
                                        "unshare",
                                        "setns",
                                        "capset",
                                        "iopl",
                                        "ioperm",
                                        "userfaultfd",
                                        "pidfd_open"};

constexpr Group kForbidden[] = {
    {EvidenceKind::StartsProcesses, kProcesses}, {EvidenceKind::LoadsCode, kCode},
    {EvidenceKind::ReadsFiles, kFiles},          {EvidenceKind::UsesNetwork, kNetwork},
    {EvidenceKind::ReadsClocks, kClocks},        {EvidenceKind::UsesEnvironment, kEnvironment},
    {EvidenceKind::HandlesSignals, kSignals},    {EvidenceKind::BindsThreads, kBinding},
    {EvidenceKind::ReachesSystem, kLimits}};

struct Prefix {
  std::string_view text;
  EvidenceKind refusal;
};
// Prefixes of mangled names of the C++ library that kernels may not use.
constexpr Prefix kForbiddenPrefixes[] = {
    {"_ZNSt14basic_ifstream", EvidenceKind::ReadsFiles},
    {"_ZNSt14basic_ofstream", EvidenceKind::ReadsFiles},
    {"_ZNSt13basic_fstream", EvidenceKind::ReadsFiles},
    {"_ZNSt13basic_filebuf", EvidenceKind::ReadsFiles},
    {"_ZNKSt13basic_filebuf", EvidenceKind::ReadsFiles},
    {"_ZNSt12__basic_file", EvidenceKind::ReadsFiles},
    {"_ZNSt10filesystem", EvidenceKind::ReadsFiles},
    {"_ZNKSt10filesystem", EvidenceKind::ReadsFiles},
    {"_ZTVSt13basic_filebuf", EvidenceKind::ReadsFiles},
    {"_ZTVSt14basic_ifstream", EvidenceKind::ReadsFiles},
    {"_ZTVSt14basic_ofstream", EvidenceKind::ReadsFiles},
    {"_ZNSt13random_device", EvidenceKind::ReadsFiles},
    {"_ZNSt6chrono", EvidenceKind::ReadsClocks},
    {"_ZNSt11this_thread11__sleep_for", EvidenceKind::ReadsClocks}};

// Names that kernels may use. Ending the process is no answer to a call, so exit() needs no ban; an
// honest kernel may use it where memory runs out. A plain syscall() is judged by its number
// (screen_object.cc).
constexpr std::string_view kOrdinary[] = {
    // ending the process, and jumping
    "exit", "_exit", "_Exit", "quick_exit", "abort", "atexit", "__assert_fail", "__assert",
    "sigsetjmp", "__sigsetjmp", "setjmp", "_setjmp", "longjmp", "_longjmp", "__longjmp_chk",
    "siglongjmp",
    // memory
    "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "posix_memalign",
    "memalign", "valloc", "malloc_usable_size", "mmap", "mmap64", "munmap", "madvise",
    "posix_madvise", "memcpy", "mempcpy", "memmove", "memset", "explicit_bzero", "bzero", "bcopy",
    "memcmp", "bcmp", "memchr", "memrchr", "rawmemchr", "memccpy", "memmem", "memfrob", "swab",
    // strings and numbers
    "strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strcpy",
    "stpcpy", "strncpy", "stpncpy", "strcat", "strncat", "strchr", "strchrnul", "strrchr", "strstr",
    "strcasestr", "strspn", "strcspn", "strpbrk", "strtok", "strtok_r", "strsep", "strdup",
    "strndup", "strerror", "strtol", "strtoll", "strtoul", "strtoull", "strtof", "strtod",
    "strtold", "atoi", "atol", "atoll", "atof", "sscanf", "vsscanf", "snprintf", "vsnprintf",
    "sprintf", "vsprintf", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower",
    "isxdigit", "isprint", "ispunct", "toupper", "tolower", "wmemcpy", "wmemset", "wmemcmp",
    "wcslen", "btowc", "wctob", "div", "ldiv", "lldiv", "imaxdiv", "imaxabs", "abs", "labs",
    "llabs", "ffs", "ffsl", "ffsll",
    // sorting, searching, random numbers
    "qsort", "qsort_r", "bsearch", "lfind", "lsearch", "hcreate_r", "hsearch_r", "hdestroy_r",
    "tsearch", "tfind", "tdelete", "twalk", "rand", "rand_r", "srand", "random", "random_r",
    "srandom", "srandom_r", "initstate_r", "drand48", "erand48", "drand48_r", "erand48_r",
    "lrand48", "nrand48", "mrand48", "jrand48", "srand48", "srand48_r", "lrand48_r",
    // output, which nobody sees
    "printf", "vprintf", "puts", "putchar", "putc", "putchar_unlocked", "fprintf", "vfprintf",
    "fputs", "fputc", "fwrite", "fflush", "setvbuf", "setbuf", "perror", "stderr", "stdout",
    "dprintf", "_IO_putc",
    // facts about the machine
    "sysconf", "getpagesize", "sched_yield", "sched_getcpu", "sched_getaffinity", "getcpu",
    "pthread_getaffinity_np", "get_nprocs", "get_nprocs_conf", "__getauxval", "getauxval",
    // floating-point environment
    "fesetround", "fegetround", "feholdexcept", "fesetenv", "fegetenv", "feupdateenv",
    "feclearexcept", "feraiseexcept", "fetestexcept", "feenableexcept", "fedisableexcept",
    "fegetexceptflag", "fesetexceptflag",
    // C threads and semaphores
    "thrd_create", "thrd_join", "thrd_detach", "thrd_current", "thrd_equal", "thrd_yield",
    "thrd_exit", "mtx_init", "mtx_lock", "mtx_trylock", "mtx_unlock", "mtx_destroy", "cnd_init",
    "cnd_wait", "cnd_signal", "cnd_broadcast", "cnd_destroy", "call_once", "tss_create", "tss_get",
    "tss_set", "tss_delete", "sem_init", "sem_wait", "sem_trywait", "sem_post", "sem_getvalue",
    "sem_destroy", "gettid",
    // names that compilers and headers add
    "syscall", "__errno_location", "__tls_get_addr", "__dso_handle", "__libc_single_threaded",
    "__gmon_start__", "__once_proxy", "__dynamic_cast", "__gxx_personality_v0",
    "__gxx_personality_seh0", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "__ctype_get_mb_cur_max", "__isoc99_sscanf", "__isoc23_sscanf", "__isoc23_strtol",
    "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull", "__xpg_strerror_r", "strerror_r",
    "__sched_cpucount", "__sched_cpualloc", "__sched_cpufree", "__cpu_model", "__cpu_features2",
    "__cpu_indicator_init", "__fpclassify", "__fpclassifyf", "__isnan", "__isnanf", "__isinf",
    "__isinff", "__finite", "__finitef", "__signbit", "__signbitf", "__signbitl", "__signgam",
    "signgam", "isnan", "isinf", "finite"};
constexpr std::string_view kOrdinaryPrefixes[] = {"GOMP_",
                                                  "omp_",
                                                  "__kmpc_",
                                                  "_Z",
                                                  "__cxa_",
                                                  "_ITM_",
                                                  "_Unwind_",
                                                  "__stack_chk",
                                                  "__atomic_",
                                                  "__sync_",
                                                  "__memcpy_chk",
                                                  "__memset_chk",
                                                  "__memmove_chk",
                                                  "__printf_chk",
                                                  "__fprintf_chk",
                                                  "__snprintf_chk",
                                                  "__sprintf_chk",
                                                  "__vsnprintf_chk",
                                                  "__strcpy_chk",
                                                  "__strcat_chk",
                                                  "pthread_mutex_",
                                                  "pthread_mutexattr_",
                                                  "pthread_cond_",
                                                  "pthread_condattr_",
                                                  "pthread_rwlock_",
                                                  "pthread_rwlockattr_",
                                                  "pthread_spin_",
                                                  "pthread_barrier",
                                                  "pthread_attr_",
                                                  "pthread_once",
                                                  "__pthread_key_create",
                                                  "__pthread_unwind",
                                                  "_pthread_cleanup_",
                                                  "__pthread_register_cancel",
                                                  "__pthread_unregister_cancel"};
constexpr std::string_view kThreads[] = {
    "pthread_create",         "pthread_join",          "pthread_tryjoin_np",
    "pthread_detach",         "pthread_self",          "pthread_equal",
    "pthread_exit",           "pthread_yield",         "pthread_key_create",
    "pthread_key_delete",     "pthread_getspecific",   "pthread_setspecific",
    "pthread_setname_np",     "pthread_getattr_np",    "pthread_testcancel",
    "pthread_setcancelstate", "pthread_setcanceltype", "pthread_cancel",
    "pthread_getconcurrency"};
// Parts of names of functions that wait until a time.
constexpr std::string_view kTimedParts[] = {
    "timedwait",   "clockwait",   "timedlock",   "clocklock", "timedrdlock",
    "timedwrlock", "clockrdlock", "clockwrlock", "timedjoin", "clockjoin"};
constexpr std::string_view kMath[] = {
    "acos",        "acosh",     "asin",     "asinh",      "atan",    "atan2",     "atanh",
    "cbrt",        "ceil",      "copysign", "cos",        "cosh",    "erf",       "erfc",
    "exp",         "exp10",     "exp2",     "expm1",      "fabs",    "fdim",      "floor",
    "fma",         "fmax",      "fmin",     "fmod",       "frexp",   "hypot",     "ilogb",
    "ldexp",       "lgamma",    "llrint",   "llround",    "log",     "log10",     "log1p",
    "log2",        "logb",      "lrint",    "lround",     "modf",    "nearbyint", "nextafter",
    "pow",         "remainder", "rint",     "round",      "scalbln", "scalbn",    "sin",
    "sincos",      "sinh",      "sqrt",     "tan",        "tanh",    "tgamma",    "trunc",
    "j0",          "j1",        "jn",       "y0",         "y1",      "yn",        "gamma",
    "significand", "drem",      "scalb",    "pow10",      "nan",     "nextup",    "nextdown",
    "roundeven",   "lgamma_r",  "remquo",   "nexttoward", "cabs",    "carg",      "cexp",
    "clog",        "clog10",    "cpow",     "csqrt",      "csin",    "ccos",      "ctan",
    "csinh",       "ccosh",     "ctanh",    "casin",      "cacos",   "catan",     "casinh",
    "cacosh",      "catanh",    "conj",     "cproj",      "creal",   "cimag",     "fmaximum",
    "fminimum",    "fmaxmag",   "fminmag",  "ufromfp",    "fromfp",  "llogb"};
// Prefixes of libgcc's functions for arithmetic that processors lack: "__divti3", "__mulsc3",
// "__extendhfsf2".
constexpr std::string_view kRuntime[] = {
    "__mul",   "__div",  "__udiv",  "__mod",  "__umod", "__extend", "__trunc",    "__add",
    "__sub",   "__neg",  "__cmp",   "__ucmp", "__eq",   "__ne",     "__lt",       "__le",
    "__gt",    "__ge",   "__unord", "__pow",  "__clz",  "__ctz",    "__popcount", "__parity",
    "__bswap", "__ashl", "__ashr",  "__lshr", "__ffs",  "__abs"};
constexpr std::string_view kTakenPrefixes[] = {"GOMP_",   "omp_", "__kmpc_", "pthread_",
                                               "__libc_", "_dl_", "__cxa_",  "__tls_"};
constexpr std::string_view kAllocators[] = {"_Znwm",   "_Znam",   "_ZdlPv", "_ZdaPv",
                                            "_ZdlPvm", "_ZdaPvm", "_start", "main"};

bool starts_with_one_of(std::span<const std::string_view> prefixes, std::string_view name) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Treats "expf", "__expf_finite" and "exp" as one function. refused_import() accepts vector forms
// of libmvec ("_ZGVdN8v_expf") already by the prefix of C++ names.
bool is_math(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  if (name.ends_with("_finite")) name.remove_suffix(7);
  if (contains(kMath, name)) return true;
  if (name.ends_with('f') || name.ends_with('l')) name.remove_suffix(1);
  return contains(kMath, name);
}

/// The name without leading underscores: glibc exports many functions a second time as __name.
std::string_view without_underscores(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  return name;
}

std::optional<EvidenceKind> forbidden(std::string_view name) {
  const std::string_view plain = without_underscores(name);
  for (const Group& group : kForbidden)
    if (contains(group.names, name) || contains(group.names, plain)) return group.refusal;
  for (const Prefix& prefix : kForbiddenPrefixes)
    if (name.starts_with(prefix.text)) return prefix.refusal;
  const bool is_wait = plain.starts_with("pthread_") || plain.starts_with("sem_") ||
                       plain.starts_with("mtx_") || plain.starts_with("cnd_");
  for (const std::string_view part : kTimedParts)
    if (is_wait && plain.find(part) != std::string_view::npos) return EvidenceKind::ReadsClocks;
  return std::nullopt;
}

bool is_runtime(std::string_view name) {
  return name.starts_with("__fix") || name.starts_with("__float") ||
         (name.find_last_of("234") == name.size() - 1 && starts_with_one_of(kRuntime, name));
}

bool is_openblas(std::string_view name) {
  return name.starts_with("cblas_") || name.starts_with("openblas_") || name.ends_with('_');
}

}  // namespace

std::optional<EvidenceKind> refused_import(std::string_view name, bool has_openblas) {
  if (const auto refusal = forbidden(name)) return refusal;
  if (contains(kOrdinary, name) || contains(kThreads, name) ||
      starts_with_one_of(kOrdinaryPrefixes, name) || is_math(name) || is_runtime(name) ||
      (has_openblas && is_openblas(name)))
    return std::nullopt;
  return EvidenceKind::UnknownImport;
}

bool is_system_name(std::string_view name) {
  // The prefix "_Z" of C++ names does not count here, because weak templates that a kernel
  // instantiates have it too. Names of C must match exactly.
  return forbidden(name).has_value() || contains(kOrdinary, name) || contains(kAllocators, name) ||
         starts_with_one_of(kTakenPrefixes, name) || is_math(name);
}

}  // namespace kw::referee
