// Restricts the uid, the capabilities and the resources of a jailed process.
// SPDX-License-Identifier: Apache-2.0
#include "platform/confine.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace kw::platform {

namespace {

using Capabilities = std::array<__user_cap_data_struct, 2>;

bool holds(const Capabilities& set, unsigned capability) {
  return (set[capability / 32].permitted >> capability % 32 & 1) != 0;
}

/// Drops all capabilities but CAP_SYS_ADMIN, which exec then hands on.
std::string keep_admin(__user_cap_header_struct& header) {
  Capabilities one{};
  auto& word = one[CAP_SYS_ADMIN / 32];
  word.effective = word.permitted = word.inheritable = 1u << CAP_SYS_ADMIN % 32;
  if (::syscall(SYS_capset, &header, one.data()) != 0 ||
      ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0) != 0)
    return std::string("keep CAP_SYS_ADMIN: ") + std::strerror(errno);
  return "";
}

}  // namespace

std::string confine_uid(const JailPolicy& policy) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  Capabilities ours{};
  const bool keeps_admin = policy.keeps_admin && ::syscall(SYS_capget, &header, ours.data()) == 0 &&
                           holds(ours, CAP_SYS_ADMIN);
  if (keeps_admin && ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
    return std::string("keep capabilities: ") + std::strerror(errno);
  if (policy.uid != kKeepUid) {
    const auto id = policy.uid;
    if (::setgroups(0, nullptr) != 0 || ::setresgid(id, id, id) != 0 ||
        ::setresuid(id, id, id) != 0) {
      return "become uid " + std::to_string(id) + ": " + std::strerror(errno);
    }
    // The signal is set here, since the kernel forgets this setting when the uid changes.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
      return "arrange that the jail ends with its parent process";
  }
  // A root that cannot change its uid (in a container) may still hold capabilities. With "no new
  // privileges", exec will not give back those that are dropped here.
  const Capabilities none{};
  if (keeps_admin) {
    if (std::string failed = keep_admin(header); !failed.empty()) return failed;
  } else if (policy.seccomp && ::syscall(SYS_capset, &header, none.data()) != 0) {
    return std::string("drop capabilities: ") + std::strerror(errno);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return std::string("forbid the jailed program to gain privileges (PR_SET_NO_NEW_PRIVS): ") +
           std::strerror(errno);
  }
  return "";
}

std::string confine_limits(const JailPolicy& policy) {
  std::uint64_t processes = policy.max_processes;
  if (policy.share_nproc) {
    // The limit counts other processes of this uid too, which cannot be told apart without /proc;
    // the number of all threads on the machine is an upper bound.
    struct sysinfo machine{};
    if (::sysinfo(&machine) == 0) processes += machine.procs;
  }
  if (policy.supervise) ++processes;
  const auto or_unlimited = [](std::uint64_t v) { return v == 0 ? RLIM_INFINITY : rlim_t{v}; };
  const struct {
    __rlimit_resource resource;
    const char* name;
    rlim_t value;
  } limits[] = {
      {RLIMIT_CORE, "core size", 0},
      {RLIMIT_NPROC, "processes", processes},
      {RLIMIT_NOFILE, "open files", policy.max_open_files},
      {RLIMIT_FSIZE, "file size", or_unlimited(policy.file_bytes)},
      {RLIMIT_CPU, "CPU time", or_unlimited(policy.cpu_seconds)},
      {RLIMIT_AS, "address space", or_unlimited(policy.address_space_bytes)},
  };
  for (const auto& limit : limits) {
    rlimit now{};
    ::getrlimit(limit.resource, &now);
    // A limit that is already tighter stays: an unprivileged process cannot raise it, nor should
    // it.
    const rlim_t value = limit.value < now.rlim_max ? limit.value : now.rlim_max;
    rlimit wanted{value, value};
    // Leaves one second between SIGXCPU, which tells the reason, and SIGKILL.
    if (limit.resource == RLIMIT_CPU && value < now.rlim_max) ++wanted.rlim_max;
    if (::setrlimit(limit.resource, &wanted) != 0) {
      return std::string("limit ") + limit.name + ": " + std::strerror(errno);
    }
  }
  return "";
}

}  // namespace kw::platform
