// Thread states read from /proc, or inferred from the CPU clock where /proc is missing.
// SPDX-License-Identifier: Apache-2.0
#include "device/stop.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string_view>

namespace kw::device {
namespace {

struct CloseDir {
  void operator()(DIR* d) const { ::closedir(d); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

/// State letter of one thread, 0 if it is gone.
char thread_state(const std::string& stat_path) {
  const platform::Fd fd(::open(stat_path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[512];
  const ssize_t n = fd ? ::read(fd.get(), text, sizeof text) : 0;
  if (n <= 0) return 0;
  // "pid (name) S …"; the name may hold anything, so search from the end.
  const std::string_view line(text, static_cast<std::size_t>(n));
  const auto close = line.rfind(") ");
  return close == std::string_view::npos || close + 2 >= line.size() ? char{0} : line[close + 2];
}

enum class Finding { Yes, No, Unknown };

/// Whether the state letter of every thread is one of `letters`.
Finding are_threads(const char* letters, pid_t pid) {
  const auto tasks = fmt::format("/proc/{}/task", pid);
  const Dir dir(::opendir(tasks.c_str()));
  if (!dir) return Finding::Unknown;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (entry->d_name[0] == '.') continue;
    const char state = thread_state(fmt::format("{}/{}/stat", tasks, entry->d_name));
    if (state != 0 && std::strchr(letters, state) == nullptr) return Finding::No;
  }
  return Finding::Yes;
}

void sleep_us(long us) {
  const timespec t{0, us * 1000};
  ::nanosleep(&t, nullptr);
}

/// A stopped process uses no CPU time. Threads that run see the signal within microseconds, threads
/// that sleep before they next run, so a clock at rest means stopped.
bool is_clock_at_rest(const platform::Process& process) {
  const auto before = process.cpu_ns();
  sleep_us(200);
  const auto after = process.cpu_ns();
  return before.has_value() && after.has_value() && *before == *after;
}

}  // namespace

bool stop_all_threads(const platform::Process& process) {
  if (!process.signal(SIGSTOP).has_value()) return false;
  constexpr int kEager = 20;
  constexpr int kTries = 150'000;  // half a minute: a starved thread obeys only when next it runs
  for (int tries = 0; tries < kTries && process.is_payload_running(); ++tries) {
    const Finding now = are_threads("TtZX", process.payload_pid());
    if (now == Finding::Yes) return process.is_payload_running();  // a zombie looks stopped
    if (now == Finding::Unknown) {
      if (!process.cpu_ns().has_value()) return false;
      if (is_clock_at_rest(process)) return process.is_payload_running();
    }
    if (tries > kEager) sleep_us(200);
  }
  return false;
}

bool await_sleep(const platform::Process& process, std::int64_t patience_ns) {
  constexpr long kStepUs = 500;
  for (std::int64_t waited = 0;; waited += kStepUs * 1000) {
    if (are_threads("SZX", process.payload_pid()) == Finding::Yes) return true;
    if (waited >= patience_ns) return false;
    sleep_us(kStepUs);
  }
}

int count_children(const platform::Process& process) {
  const auto tasks = fmt::format("/proc/{}/task", process.payload_pid());
  const Dir dir(::opendir(tasks.c_str()));
  int count = 0;
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    const auto path = fmt::format("{}/{}/children", tasks, entry->d_name);
    const platform::Fd children(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char text[4096];
    const ssize_t n = children ? ::read(children.get(), text, sizeof text) : 0;
    for (ssize_t i = 0; i < n; ++i) count += text[i] == ' ';
  }
  return count;
}

}  // namespace kw::device
