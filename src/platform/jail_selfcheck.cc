// Attempts what a jail must refuse.
// SPDX-License-Identifier: Apache-2.0
#include "platform/jail_selfcheck.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "platform/confine.h"

namespace kw::platform {
namespace {

constexpr int kUsage = 64;

bool can_start_process() {
  const rlimit one{1, 1};
  ::setrlimit(RLIMIT_NPROC, &one);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return child > 0;
}

}  // namespace

int self_check(int argc, char** argv) {
  const std::string_view what = argv[1];
  if (what == "change-uid" && argc == 3) {
    JailPolicy policy;
    policy.uid = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
    return confine_uid(policy).empty() ? 0 : 1;
  }
  if (what != "self-check" || argc != 4) return kUsage;
  int leaks = 0;
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) leaks |= kLeakSocket;
  if (::open(argv[2], O_RDONLY | O_CLOEXEC) >= 0) leaks |= kLeakFile;
  if (std::string_view(argv[3]) == "drops" && ::getuid() == 0) leaks |= kLeakUid;
  if (can_start_process()) leaks |= kLeakProcess;
  return leaks;
}

}  // namespace kw::platform
