// bench-time -- COMMAND...: runs a command and prints "wall_ns cpu_ns peak_rss_bytes exit_code".
// SPDX-License-Identifier: Apache-2.0
//
// The command's own output goes to the file that --out names, or nowhere. A command that cannot be
// started, or that a signal ended, has exit code -1.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

std::int64_t to_ns(const timeval& t) { return t.tv_sec * 1'000'000'000LL + t.tv_usec * 1000LL; }

}  // namespace

int main(int argc, char** argv) {
  const char* out = "/dev/null";
  int at = 1;
  if (at + 1 < argc && std::strcmp(argv[at], "--out") == 0) {
    out = argv[at + 1];
    at += 2;
  }
  if (at < argc && std::strcmp(argv[at], "--") == 0) ++at;
  if (at >= argc) {
    std::fprintf(stderr, "usage: bench-time [--out FILE] -- COMMAND...\n");
    return 2;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);

  const std::int64_t begin = now_ns();
  pid_t child = 0;
  int code = -1;
  rusage use{};
  if (::posix_spawnp(&child, argv[at], &actions, nullptr, argv + at, environ) == 0) {
    int status = 0;
    while (::wait4(child, &status, 0, &use) < 0) {
    }
    if (WIFEXITED(status)) code = WEXITSTATUS(status);
  }
  const std::int64_t wall = now_ns() - begin;
  // The peak memory of a child starts at the size of this small program, about 2 MiB.
  std::printf("%lld %lld %lld %d\n", static_cast<long long>(wall),
              static_cast<long long>(to_ns(use.ru_utime) + to_ns(use.ru_stime)),
              static_cast<long long>(use.ru_maxrss) * 1024, code);
  return 0;
}
