// Stops a process by the freezer of cgroup v2: one group per process, created beside our own.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "device/hold.h"
#include "platform/files.h"

namespace kw::device {
namespace {

constexpr std::string_view kPrefix = "kw-player-";

/// Where cgroup v2 is mounted; empty if it is not.
std::string mount_point() {
  const auto mounts = platform::read_file("/proc/self/mounts");
  if (!mounts.has_value()) return {};
  for (const std::string_view line : split_lines(*mounts)) {
    const auto fields = split(line, ' ');
    if (fields.size() > 2 && fields[2] == "cgroup2") return std::string(fields[1]);
  }
  return {};
}

/// Name of our own group in the kernel: "/" or "/a/b".
std::string own_group() {
  const auto groups = platform::read_file("/proc/self/cgroup");
  if (!groups.has_value()) return {};
  for (const std::string_view line : split_lines(*groups))
    if (line.starts_with("0::")) return std::string(line.substr(3));
  return {};
}

/// Removes empty groups that a killed worker has left; their names hold its process id.
void remove_leftovers(const std::string& parent) {
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator(parent, trouble)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    pid_t owner = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

/// The folder for our groups, searched for once; empty where no group can be created.
const std::string& parent_group() {
  static const std::string parent = [] {
    const std::string mount = mount_point();
    if (mount.empty()) return std::string();
    const std::string own = own_group();
    // In a cgroup namespace the mount may show less than the name says, so its root is tried too.
    for (const std::string& folder : {mount + (own == "/" ? "" : own), mount})
      if (::access((folder + "/cgroup.procs").c_str(), W_OK) == 0) {
        remove_leftovers(folder);
        return folder;
      }
    return std::string();
  }();
  return parent;
}

/// Control groups whose holds are destroyed. A group can be removed once the last thread in it has
/// ended, which takes milliseconds for a killed process with much memory. Nobody waits for that:
/// each new hold tries again, and so does the end of this process.
class Graveyard {
 public:
  ~Graveyard() {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries && !groups_.empty(); ++i) {
      sweep();
      if (!groups_.empty()) ::usleep(500);
    }
  }
  void add(std::string group) {
    const std::lock_guard lock(mutex_);
    groups_.push_back(std::move(group));
  }
  void sweep() {
    const std::lock_guard lock(mutex_);
    std::erase_if(groups_, [](const std::string& group) {
      return ::rmdir(group.c_str()) == 0 || errno != EBUSY;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> groups_;
};

Graveyard& graveyard() {
  static Graveyard once;
  return once;
}

bool write_word(int file, std::string_view word) {
  return ::pwrite(file, word.data(), word.size(), 0) == static_cast<ssize_t>(word.size());
}

class FreezerHold final : public Hold {
 public:
  FreezerHold(std::string group, platform::Fd freeze, platform::Fd events)
      : group_(std::move(group)), freeze_(std::move(freeze)), events_(std::move(events)) {}
  ~FreezerHold() override { graveyard().add(std::move(group_)); }
  FreezerHold(const FreezerHold&) = delete;
  FreezerHold& operator=(const FreezerHold&) = delete;

  bool engage() override { return write_word(freeze_.get(), "1"); }
  bool release() override { return write_word(freeze_.get(), "0"); }
  bool is_complete() override {
    char text[256];
    const ssize_t n = ::pread(events_.get(), text, sizeof text, 0);
    return n > 0 && std::string_view(text, static_cast<std::size_t>(n)).find("frozen 1") !=
                        std::string_view::npos;
  }

 private:
  std::string group_;
  platform::Fd freeze_;
  platform::Fd events_;
};

}  // namespace

std::unique_ptr<Hold> hold_by_freezer(const platform::Process& process) {
  static std::atomic<std::uint64_t> count{0};
  if (parent_group().empty()) return nullptr;
  graveyard().sweep();
  const std::string group = fmt::format("{}/{}{}-{}", parent_group(), kPrefix, ::getpid(), ++count);
  if (::mkdir(group.c_str(), 0755) != 0) return nullptr;
  const auto open = [&](const char* name, int flags) {
    return platform::Fd(::open((group + name).c_str(), flags | O_CLOEXEC));
  };
  platform::Fd members = open("/cgroup.procs", O_WRONLY);
  platform::Fd freeze = open("/cgroup.freeze", O_WRONLY);
  platform::Fd events = open("/cgroup.events", O_RDONLY);
  if (!members || !freeze || !events ||
      !write_word(members.get(), std::to_string(process.payload_pid()))) {
    ::rmdir(group.c_str());
    return nullptr;
  }
  return std::make_unique<FreezerHold>(group, std::move(freeze), std::move(events));
}

}  // namespace kw::device
