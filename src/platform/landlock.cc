// Sets Landlock's file rules by raw system calls, since glibc has no wrappers.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/confine.h"

namespace kw::platform {
namespace {

// From include/uapi/linux/landlock.h of Linux 6.12; older headers lack some of these flags.
constexpr std::uint64_t kExecute = 1u << 0;
constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kReadFile = 1u << 2;
constexpr std::uint64_t kReadDir = 1u << 3;
constexpr std::uint64_t kMakeChar = 1u << 6;
constexpr std::uint64_t kMakeBlock = 1u << 11;
constexpr std::uint64_t kAllOfAbi1 = (1u << 13) - 1;
constexpr std::uint64_t kRefer = 1u << 13;     // ABI 2
constexpr std::uint64_t kTruncate = 1u << 14;  // ABI 3
constexpr std::uint64_t kTcp = 3;              // ABI 4: bind and connect
constexpr std::uint64_t kIoctlDev = 1u << 15;  // ABI 5
constexpr std::uint64_t kScopes = 3;           // ABI 6: abstract sockets and signals
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t net;
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr int kRulePathBeneath = 1;
constexpr unsigned kQueryVersion = 1;

std::uint64_t file_rights(int abi) {
  std::uint64_t rights = kAllOfAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

std::string allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return "allow " + path + ": " + std::strerror(errno);
  struct stat info{};
  if (::fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= kOfFiles;
  const PathRule rule{rights, fd};
  const long result = ::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0);
  const int error = errno;
  ::close(fd);
  return result == 0 ? "" : "allow access to " + path + " by Landlock: " + std::strerror(error);
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kQueryVersion);
  return static_cast<int>(std::max(abi, 0L));
}

std::string describe_landlock(int abi) {
  std::string text = "Landlock ABI " + std::to_string(abi) + " (files";
  if (abi >= 3) text += ", truncation";
  if (abi >= 4) text += ", TCP";
  if (abi >= 5) text += ", device ioctl";
  if (abi >= 6) text += ", signals, abstract sockets";
  return text + ")";
}

std::string open_ruleset(const JailPolicy& policy, int& ruleset) {
  const int abi = landlock_abi();
  if (abi < 1)
    return "use Landlock: this kernel lacks Landlock (Linux 5.13 or newer has it) or has it "
           "disabled";
  const std::uint64_t handled = file_rights(abi);
  const RulesetAttributes attributes{handled, abi >= 4 ? kTcp : 0, abi >= 6 ? kScopes : 0};
  // Older kernels refuse a structure with fields that they do not know if these are not zero.
  const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return std::string("create Landlock rules: ") + std::strerror(errno);

  std::string failed;
  const auto allow_all = [&](const std::vector<std::string>& paths, std::uint64_t rights) {
    for (const std::string& path : paths) {
      if (failed.empty()) failed = allow(ruleset, path, rights & handled);
    }
  };
  allow_all(policy.readable, kExecute | kReadFile | kReadDir);
  allow_all(policy.writable, ~(kMakeChar | kMakeBlock));
  allow_all(policy.devices, kReadFile | kWriteFile | kIoctlDev);
  // NVIDIA's driver writes the names of its threads in /proc/self/task, and fails with error 304
  // where it cannot.
  if (policy.names_threads)
    allow_all({"/proc/self/task"}, kReadFile | kReadDir | kWriteFile | kTruncate);
  return failed;
}

std::string confine_files(int ruleset) {
  const bool is_held = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  const int error = errno;
  ::close(ruleset);
  return is_held ? "" : std::string("enforce Landlock rules: ") + std::strerror(error);
}

}  // namespace kw::platform
