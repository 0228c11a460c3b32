// as_container [--no-landlock] COMMAND...: runs COMMAND as a container with Docker's defaults
// would.
// SPDX-License-Identifier: Apache-2.0
//
// Docker's default profile leaves a root without CAP_SYS_ADMIN and forbids namespaces and mounts.
// Capabilities and calls are those of moby's profiles/seccomp/default.json and of its documented
// default set, as far as a jail wants them. What is not imitated: masked parts of /proc, AppArmor.
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace {

constexpr std::initializer_list<int> kKept = {
    CAP_CHOWN,   CAP_DAC_OVERRIDE, CAP_FSETID,           CAP_FOWNER,
    CAP_MKNOD,   CAP_NET_RAW,      CAP_SETGID,           CAP_SETUID,
    CAP_SETFCAP, CAP_SETPCAP,      CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT,
    CAP_KILL,    CAP_AUDIT_WRITE};

constexpr std::uint64_t kNewNamespace = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS |
                                        CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "as_container: %s: %s\n", what, std::strerror(errno));
  ::_exit(125);
}

void deny(scmp_filter_ctx filter, std::initializer_list<int> calls, unsigned error) {
  for (const int call : calls)
    if (::seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), call, 0) != 0) give_up("add a rule");
}

void filter_calls(bool allows_landlock) {
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) give_up("make a filter");
  // In a container root may set filters without "no new privileges", since its programs may gain
  // some.
  if (::geteuid() == 0) ::seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
  deny(filter,
       {SCMP_SYS(unshare),
        SCMP_SYS(setns),
        SCMP_SYS(mount),
        SCMP_SYS(umount2),
        SCMP_SYS(pivot_root),
        SCMP_SYS(move_mount),
        SCMP_SYS(open_tree),
        SCMP_SYS(fsopen),
        SCMP_SYS(fsmount),
        SCMP_SYS(bpf),
        SCMP_SYS(perf_event_open),
        SCMP_SYS(keyctl),
        SCMP_SYS(add_key),
        SCMP_SYS(request_key),
        SCMP_SYS(userfaultfd),
        SCMP_SYS(io_uring_setup),
        SCMP_SYS(open_by_handle_at),
        SCMP_SYS(sethostname),
        SCMP_SYS(setdomainname),
        SCMP_SYS(reboot),
        SCMP_SYS(kcmp)},
       EPERM);
  deny(filter, {SCMP_SYS(clone3)}, ENOSYS);
  for (std::uint64_t flag = 1; flag <= kNewNamespace; flag <<= 1)
    if ((flag & kNewNamespace) != 0 &&
        ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                           SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)) != 0)
      give_up("add a rule");
  // Docker's profile before version 23 did not know the calls of Landlock.
  constexpr int kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
  if (!allows_landlock) deny(filter, {kCreateRuleset, kAddRule, kRestrictSelf}, EPERM);
  if (::seccomp_load(filter) != 0) give_up("load the filter");
  ::seccomp_release(filter);
}

void drop_capabilities() {
  std::uint64_t kept = 0;
  for (const int capability : kKept) kept |= std::uint64_t{1} << capability;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if ((kept >> capability & 1) == 0 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      give_up("drop a capability");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  for (int word = 0; word < 2; ++word) {
    const auto bits = static_cast<std::uint32_t>(kept >> (32 * word));
    data[word].effective = data[word].permitted = bits;
  }
  if (::syscall(SYS_capset, &header, data) != 0) give_up("set capabilities");
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  const bool allows_landlock = argc < 2 || std::string_view(argv[1]) != "--no-landlock";
  if (!allows_landlock) ++first;
  if (first >= argc) {
    std::fputs("usage: as_container [--no-landlock] COMMAND...\n", stderr);
    return 64;
  }
  filter_calls(allows_landlock);
  if (::geteuid() == 0) drop_capabilities();
  ::execvp(argv[first], argv + first);
  give_up(argv[first]);
}
