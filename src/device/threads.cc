// Reads states and processor times of threads from /proc/PID/task.
// SPDX-License-Identifier: Apache-2.0
#include "device/threads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "platform/clock.h"

namespace kw::device {
namespace {

constexpr std::size_t kMostOpen = 256;  // threads whose files stay open

/// Content of the file from its start; empty if the thread is gone or the file is not open.
std::string_view reread(const platform::Fd& file, std::span<char> into) {
  const ssize_t n = file ? ::pread(file.get(), into.data(), into.size(), 0) : 0;
  return {into.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

// States of a thread that have no letter in proc(5).
constexpr char kGone = 0;
constexpr char kUnreadable = '?';

}  // namespace

std::vector<pid_t> ThreadSet::ids() {
  std::vector<pid_t> ids;
  if (!dir_)
    dir_.reset(::opendir(fmt::format("/proc/{}/task", process_).c_str()));
  else
    ::rewinddir(dir_.get());
  while (const dirent* entry = dir_ ? ::readdir(dir_.get()) : nullptr) {
    pid_t id = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, id).ptr == end && id > 0) ids.push_back(id);
  }
  // Files of threads that have ended are closed.
  if (open_.size() > ids.size())
    std::erase_if(open_, [&](const auto& known) {
      return std::find(ids.begin(), ids.end(), known.first) == ids.end();
    });
  return ids;
}

ThreadSet::Files& ThreadSet::files_of(pid_t thread) {
  if (const auto known = open_.find(thread); known != open_.end()) return known->second;
  if (open_.size() >= kMostOpen) open_.clear();
  const auto folder = fmt::format("/proc/{}/task/{}", process_, thread);
  const auto open = [&](const char* name) {
    return platform::Fd(::open(fmt::format("{}/{}", folder, name).c_str(), O_RDONLY | O_CLOEXEC));
  };
  return open_.emplace(thread, Files{open("stat"), open("schedstat")}).first->second;
}

// A file that was opened for a thread which has ended tells nothing about another thread that got
// its number, so it is opened again.
std::string_view ThreadSet::reread_of(pid_t thread, platform::Fd Files::* file,
                                      std::span<char> into) {
  std::string_view text = reread(files_of(thread).*file, into);
  if (!text.empty()) return text;
  open_.erase(thread);
  text = reread(files_of(thread).*file, into);
  if (text.empty()) open_.erase(thread);
  return text;
}

char ThreadSet::state_of(pid_t thread) {
  char text[512];
  const std::string_view line = reread_of(thread, &Files::state, text);
  // The line is "pid (name) S …"; the name may hold any characters, so the search goes from the
  // end.
  const auto close = line.rfind(") ");
  if (close != std::string_view::npos && close + 2 < line.size()) return line[close + 2];
  const auto folder = fmt::format("/proc/{}/task/{}", process_, thread);
  return ::access(folder.c_str(), F_OK) == 0 ? kUnreadable : kGone;
}

std::int64_t ThreadSet::time_of(pid_t thread) {
  char text[128];
  const std::string_view line = reread_of(thread, &Files::time, text);
  std::int64_t ns = -1;
  std::from_chars(line.data(), line.data() + line.size(), ns);
  return ns;
}

ThreadSet::State ThreadSet::state_of_all(const char* letters) {
  const auto all = ids();
  if (all.empty()) return State::Unknown;
  for (const pid_t thread : all) {
    const char state = state_of(thread);
    if (state == kUnreadable) return State::Unknown;
    if (state != kGone && std::strchr(letters, state) == nullptr) return State::Other;
  }
  return State::AsAsked;
}

ThreadSet::Times ThreadSet::times() {
  Times times;
  for (const pid_t thread : ids())
    if (const std::int64_t ns = time_of(thread); ns >= 0) times.emplace(thread, ns);
  return times;
}

ThreadSet::Look ThreadSet::times_when_asleep(std::int64_t patience_ns) {
  const auto& clock = platform::real_clock();
  const std::int64_t until = clock.now_ns() + patience_ns;
  Look look;
  look.running = ids();
  for (bool is_first = true;; is_first = false) {
    std::erase_if(look.running, [&](pid_t thread) {
      const bool runs = state_of(thread) == 'R';
      if (const std::int64_t ns = time_of(thread); ns >= 0) look.times[thread] = ns;
      return !runs;
    });
    if (is_first) look.all_slept = look.running.empty();
    if (look.running.empty() || clock.now_ns() >= until) return look;
  }
}

bool ThreadSet::await_sleep(std::int64_t patience_ns) {
  constexpr std::int64_t kStepNs = 500'000;
  constexpr timespec kStep{0, kStepNs};
  for (std::int64_t waited = 0;; waited += kStepNs) {
    if (state_of_all("SZX") == State::AsAsked) return true;
    if (waited >= patience_ns) return false;
    ::nanosleep(&kStep, nullptr);
  }
}

int ThreadSet::count_children() {
  int count = 0;
  for (const pid_t thread : ids()) {
    const auto path = fmt::format("/proc/{}/task/{}/children", process_, thread);
    const platform::Fd children(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char text[4096];
    const std::string_view listed = reread(children, text);
    count += static_cast<int>(std::count(listed.begin(), listed.end(), ' '));
  }
  return count;
}

}  // namespace kw::device
