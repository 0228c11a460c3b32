// platform_attack: tries what a jail should refuse and prints the results, for the tests to judge.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <omp.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

extern char** environ;

namespace {

using Arguments = std::vector<std::string>;

/// Prints "ok" or the name of the errno.
int tell(long result) {
  std::puts(result >= 0 ? "ok" : strerrorname_np(errno));
  return 0;
}

/// Starts processes until one is refused; they stay until the jail ends.
int fork_bomb(const Arguments& a) {
  int started = 0;
  for (; started < std::stoi(a.at(0)); ++started) {
    const pid_t child = ::fork();
    if (child < 0) break;
    if (child == 0) {
      for (;;) ::pause();
    }
  }
  std::printf("%d\n", started);
  return 0;
}

int use_threads(const Arguments& a) {
  omp_set_num_threads(std::stoi(a.at(0)));
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 1000; ++i) sum += i;
  int team = 0;
#pragma omp parallel
#pragma omp single
  team = omp_get_num_threads();
  std::printf("%d %d\n", sum, team);
  return 0;
}

int try_kill(const Arguments& a) { return tell(::kill(std::stoi(a.at(0)), SIGKILL)); }

int try_exec(const Arguments& a) {
  if (a.at(0) == "execveat") {
    const int fd = ::open("/bin/true", O_PATH);
    if (fd < 0) return tell(fd);
    char name[] = "true";
    char* argv[] = {name, nullptr};
    // Moves the descriptor to every number in turn, among them the number of the program's own
    // descriptor.
    for (int target = 3; target < 4096; ++target) {
      ::dup2(fd, target);
      ::syscall(SYS_execveat, target, "", argv, environ, AT_EMPTY_PATH);
    }
    return tell(-1);
  }
  ::execl("/bin/true", "true", nullptr);
  return tell(-1);
}

int flood(const Arguments&) {
  const std::string line(65536, 'x');
  for (;;) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
  }
}

int hang(const Arguments&) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
  std::puts("hanging");
  std::fflush(stdout);
  for (volatile bool forever = true; forever;) {
  }
  return 0;
}

int allocate(const Arguments& a) {
  const std::size_t bytes = std::stoull(a.at(0));
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return tell(p == MAP_FAILED ? -1 : 0);
}

int grow_file(const Arguments& a) {
  const int fd = ::open(a.at(0).c_str(), O_WRONLY | O_CREAT, 0600);
  std::signal(SIGXFSZ, SIG_IGN);
  return tell(fd < 0 ? -1 : ::ftruncate(fd, static_cast<off_t>(std::stoll(a.at(1)))));
}

/// Prints the name of a call that was not refused. The arguments are chosen so that a call that is
/// let through either succeeds or fails with an error other than EPERM and ENOSYS.
void attempt(const char* name, long result) {
  if (result >= 0 || (errno != EPERM && errno != ENOSYS)) {
    std::printf("%s: %s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));
  }
}

/// The kernel reads 32 bits of an int argument, so a bit above them deceives a filter that compares
/// 64.
constexpr unsigned long disguised(unsigned long argument) { return argument | 1UL << 32; }

void reach_kernel() {
  attempt("socket", ::socket(AF_INET, SOCK_STREAM, 0));
  attempt("unix socket", ::socket(AF_UNIX, SOCK_STREAM, 0));
  attempt("netlink", ::socket(AF_NETLINK, SOCK_RAW, 0));
  int pair[2];
  attempt("socketpair", ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  attempt("ptrace", ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  attempt("process_vm_readv", ::syscall(SYS_process_vm_readv, ::getppid(), 0, 0, 0, 0, 0));
  attempt("process_mrelease", ::syscall(448, -1, 0));
  attempt("perf_event_open", ::syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
  attempt("bpf", ::syscall(SYS_bpf, 0, 0, 0));
  attempt("keyctl", ::syscall(SYS_keyctl, 0, 0, 0, 0, 0));
  attempt("userfaultfd", ::syscall(SYS_userfaultfd, 0));
  attempt("io_uring_setup", ::syscall(SYS_io_uring_setup, 1, 0));
  attempt("memfd_secret", ::syscall(447, 0));
  attempt("mount", ::syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, 0));
  attempt("open_tree_attr", ::syscall(467, -1, "", 0, 0, 0));
  attempt("quotactl_fd", ::syscall(443, -1, 0, 0, 0));
  attempt("semop", ::syscall(SYS_semop, -1, 0, 0));
  attempt("semctl", ::syscall(SYS_semctl, -1, 0, 0, 0));
  attempt("shmctl", ::syscall(SYS_shmctl, -1, 0, 0));
  attempt("msgsnd", ::syscall(SYS_msgsnd, -1, 0, 0, 0));
  attempt("msgrcv", ::syscall(SYS_msgrcv, -1, 0, 0, 0, 0));
  attempt("msgctl", ::syscall(SYS_msgctl, -1, 0, 0));
  attempt("mq_unlink", ::syscall(SYS_mq_unlink, nullptr));
}

void leave_jail() {
  attempt("unshare", ::unshare(CLONE_NEWUSER));
  attempt("clone newuser", ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  attempt("clone3", ::syscall(SYS_clone3, 0, 0));
  attempt("personality", ::syscall(SYS_personality, 0xffffffff));
  attempt("setsid", ::setsid());
  attempt("no parent signal", ::prctl(PR_SET_PDEATHSIG, 0));
  attempt("no parent signal, disguised", ::syscall(SYS_prctl, disguised(PR_SET_PDEATHSIG), 0));
  attempt("own filter, disguised", ::syscall(SYS_prctl, disguised(PR_SET_SECCOMP), 2, nullptr));
  const bool was_root = ::getuid() == 0;
  if (::syscall(SYS_setuid, 0) == 0 && !was_root) std::puts("setuid: ok");
  rlimit more{};
  ::getrlimit(RLIMIT_NPROC, &more);
  more.rlim_cur = more.rlim_max = more.rlim_max + 100;
  attempt("raise limit", ::setrlimit(RLIMIT_NPROC, &more));
}

/// Tries calls by which the kernel would signal the owner of a descriptor, which may be any
/// process.
void signal_by_descriptor() {
  attempt("F_SETOWN", ::fcntl(0, F_SETOWN, ::getpid()));
  attempt("F_SETOWN, disguised", ::syscall(SYS_fcntl, 0, disguised(F_SETOWN), ::getpid()));
  const f_owner_ex owner{F_OWNER_PID, ::getpid()};
  attempt("F_SETOWN_EX", ::fcntl(0, F_SETOWN_EX, &owner));
  attempt("F_SETSIG", ::fcntl(0, F_SETSIG, SIGKILL));
  attempt("FIOSETOWN", ::ioctl(0, FIOSETOWN, nullptr));
  attempt("SIOCSPGRP", ::ioctl(0, SIOCSPGRP, nullptr));
}

void change_metadata() {
  attempt("fchmodat2", ::syscall(452, -1, "x", 0777, 0));
  attempt("setxattrat", ::syscall(463, -1, "x", 0, "user.x", 0, 0));
  attempt("getxattrat", ::syscall(464, -1, "x", 0, "user.x", 0, 0));
  attempt("listxattrat", ::syscall(465, -1, "x", 0, 0, 0));
  attempt("removexattrat", ::syscall(466, -1, "x", 0, "user.x"));
  attempt("file_setattr", ::syscall(469, -1, "x", 0, 0, 0));
  attempt("FS_IOC_SETFLAGS", ::ioctl(0, FS_IOC_SETFLAGS, nullptr));
  attempt("FS_IOC_FSSETXATTR", ::ioctl(0, FS_IOC_FSSETXATTR, nullptr));
}

int call_forbidden(const Arguments&) {
  reach_kernel();
  leave_jail();
  signal_by_descriptor();
  change_metadata();
  std::puts("done");
  return 0;
}

const std::map<std::string, std::function<int(const Arguments&)>>& commands() {
  static const std::map<std::string, std::function<int(const Arguments&)>> all = {
      {"abort", [](const Arguments&) -> int { std::abort(); }},
      {"allocate", allocate},
      {"burn",
       [](const Arguments&) {
         for (volatile bool forever = true; forever;) {
         }
         return 0;
       }},
      {"capabilities",
       [](const Arguments&) {
         __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
         __user_cap_data_struct data[2]{};
         ::syscall(SYS_capget, &header, data);
         std::printf("%x\n",
                     data[0].permitted | data[1].permitted | data[0].effective | data[1].effective);
         return 0;
       }},
      {"chmod", [](const Arguments& a) { return tell(::chmod(a.at(0).c_str(), 0777)); }},
      {"env",
       [](const Arguments&) {
         for (char** e = environ; *e != nullptr; ++e) std::puts(*e);
         return 0;
       }},
      {"exec", try_exec},
      {"exists", [](const Arguments& a) { return tell(::access(a.at(0).c_str(), F_OK)); }},
      {"exit", [](const Arguments& a) { return std::stoi(a.at(0)); }},
      {"flood", flood},
      {"forbidden", call_forbidden},
      {"fork-bomb", fork_bomb},
      {"grow-file", grow_file},
      {"hang", hang},
      {"kill", try_kill},
      {"memfd", [](const Arguments&) { return tell(::memfd_create("x", MFD_CLOEXEC)); }},
      {"mkfile",
       [](const Arguments& a) {
         return tell(::open(a.at(0).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
       }},
      {"name-thread",
       [](const Arguments&) {
         const std::string file = "/proc/self/task/" + std::to_string(::gettid()) + "/comm";
         return tell(::open(file.c_str(), O_WRONLY | O_TRUNC));
       }},
      {"no-new-privs", [](const Arguments&) { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }},
      {"process", [](const Arguments& a) { return tell(::getpgid(std::stoi(a.at(0)))); }},
      {"read", [](const Arguments& a) { return tell(::open(a.at(0).c_str(), O_RDONLY)); }},
      {"read-fd",
       [](const Arguments& a) {
         char c[64];
         const ssize_t n = ::read(std::stoi(a.at(0)), c, sizeof c);
         std::printf("%.*s\n", static_cast<int>(n < 0 ? 0 : n), c);
         return n < 0;
       }},
      {"open-fds",
       [](const Arguments&) {
         for (int fd = 0; fd < 1024; ++fd) {
           if (::fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
         }
         return 0;
       }},
      {"say",
       [](const Arguments& a) {
         std::puts(a.at(0).c_str());
         std::fputs("and to stderr\n", stderr);
         return 0;
       }},
      {"threads", use_threads},
      {"uid",
       [](const Arguments&) {
         std::printf("%u %d\n", ::getuid(), ::getgroups(0, nullptr));
         return 0;
       }},
      {"watch",
       [](const Arguments& a) {
         return tell(::inotify_add_watch(::inotify_init(), a.at(0).c_str(), IN_ALL_EVENTS));
       }},
      {"write", [](const Arguments& a) { return tell(::open(a.at(0).c_str(), O_WRONLY)); }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !commands().contains(argv[1])) return 64;
  return commands().at(argv[1])(Arguments(argv + 2, argv + argc));
}
