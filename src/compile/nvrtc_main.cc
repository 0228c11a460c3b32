// kw-nvrtc: keeps NVRTC loaded and warm, and forks a locked-down child for every compilation.
// SPDX-License-Identifier: Apache-2.0
//
// usage: kw-nvrtc LIBRARY BUILTINS FOLDER, with the control channel as descriptor 3; started in a
// jail by the controller. FOLDER is for precompiled headers. This process itself reads no source.
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>

#include "compile/nvrtc_child.h"
#include "platform/files.h"
#include "player/transport.h"

namespace kw::compile {
namespace {

using platform::Fd;
using Clock = std::chrono::steady_clock;

/// Most children at a time, enough for every core of a large machine; further jobs wait.
constexpr std::size_t kMostChildren = 128;
constexpr std::size_t kPchHeapBytes = std::size_t{512} << 20;
/// Longest time in milliseconds after which kw-nvrtc looks for ended children even if no signal
/// came.
constexpr int kLookMs = 50;
constexpr std::uint64_t kPrecompileSeconds = 120;
constexpr std::uint64_t kPrecompileBytes = std::uint64_t{8} << 30;

struct Job {
  NvrtcPacket packet;
  Fd job;
  Fd answer;
  Fd fate;
};

struct Child {
  Fd fate = Fd();  ///< Where to report the child's end; none: the child makes a precompiled header.
  std::uint64_t precompiles = 0;
  Clock::time_point deadline = {};
  bool was_late = false;
};

enum class HeaderState { Missing, InWork, Ready, Impossible };

/// A precompiled header, with its file's inode and time of last status change (ctime) when it was
/// made. A child that replaced or changed the file could not reset that time.
struct Header {
  HeaderState state = HeaderState::Missing;
  ino_t inode = 0;
  timespec changed = {};
};

/// Whether the file at `path` is still the one that `header` describes.
bool is_unchanged(const Header& header, const std::string& path) {
  struct stat now{};
  return ::lstat(path.c_str(), &now) == 0 && now.st_ino == header.inode &&
         now.st_ctim.tv_sec == header.changed.tv_sec &&
         now.st_ctim.tv_nsec == header.changed.tv_nsec;
}

sigset_t ends_of_children() {
  sigset_t ended;
  ::sigemptyset(&ended);
  ::sigaddset(&ended, SIGCHLD);
  return ended;
}

class Server {
 public:
  Server(NvrtcLibrary library, std::string folder)
      : library_(std::move(library)), folder_(std::move(folder)) {}

  int serve();

 private:
  bool take_packet();
  void start_waiting();
  bool start(Job& job);
  void start_precompiling(const Job& job);
  void add_child(pid_t pid, Child child, std::uint64_t wall_ns);
  void finish_header(std::uint64_t key, bool is_good);
  void sweep();
  void reap();
  void kill_late();
  std::string header_path(std::uint64_t key) const {
    return folder_ + "/" + std::to_string(key) + ".pch";
  }

  NvrtcLibrary library_;
  std::string folder_;
  std::map<pid_t, Child> children_;
  std::map<std::uint64_t, Header> headers_;
  std::deque<Job> waiting_;
};

void Server::add_child(pid_t pid, Child child, std::uint64_t wall_ns) {
  child.deadline = Clock::now() + std::chrono::nanoseconds(wall_ns);
  children_.emplace(pid, std::move(child));
}

void Server::start_precompiling(const Job& job) {
  const std::uint64_t key = job.packet.precompiled;
  NvrtcPacket limits = job.packet;
  limits.wall_ns = kPrecompileSeconds * 1'000'000'000;
  limits.cpu_seconds = kPrecompileSeconds;
  limits.address_space_bytes = kPrecompileBytes;
  const pid_t pid = ::fork();
  if (pid == 0) precompile_and_exit(library_, limits, job.job.get(), header_path(key));
  headers_[key].state = pid < 0 ? HeaderState::Missing : HeaderState::InWork;
  if (pid > 0) add_child(pid, {.precompiles = key}, limits.wall_ns);
}

/// Starts a job; false if it must wait for another child to end. If fork() fails the job is
/// dropped, and its sender sees end of file.
bool Server::start(Job& job) {
  if (children_.size() >= kMostChildren) return false;
  std::string header;
  if (const std::uint64_t key = job.packet.precompiled; key != 0 && library_.has_pch()) {
    Header& shared = headers_[key];
    if (shared.state == HeaderState::Ready && !is_unchanged(shared, header_path(key)))
      shared.state = HeaderState::Missing;
    if (shared.state == HeaderState::Missing) start_precompiling(job);
    if (shared.state == HeaderState::InWork) return false;
    if (shared.state == HeaderState::Ready) header = header_path(key);
  }
  const pid_t pid = ::fork();
  if (pid == 0)
    compile_and_exit(library_, job.packet, {.job = job.job.get(), .answer = job.answer.get()},
                     header);
  if (pid > 0) add_child(pid, {.fate = std::move(job.fate)}, job.packet.wall_ns);
  return true;
}

void Server::start_waiting() {
  for (auto job = waiting_.begin(); job != waiting_.end();)
    job = start(*job) ? waiting_.erase(job) : job + 1;
}

bool Server::take_packet() {
  std::array<std::byte, sizeof(NvrtcPacket) + 1> bytes;
  std::array<int, 3> numbers{-1, -1, -1};
  const player::Received got =
      player::receive_packet(kNvrtcControlFd, bytes, numbers, /*wait=*/true);
  Job job{{}, Fd(numbers[0]), Fd(numbers[1]), Fd(numbers[2])};
  if (got.error != 0 || got.bytes == 0) return false;
  const auto packet = decode_packet(std::span(bytes).first(got.bytes));
  // A malformed packet is ignored and its descriptors are closed: no controller of this version
  // sends one.
  if (!packet || got.descriptors != numbers.size() || got.is_truncated) return true;
  job.packet = *packet;
  waiting_.push_back(std::move(job));
  return true;
}

void Server::finish_header(std::uint64_t key, bool is_good) {
  Header& header = headers_[key];
  struct stat made{};
  is_good = is_good && ::lstat(header_path(key).c_str(), &made) == 0;
  header.state = is_good ? HeaderState::Ready : HeaderState::Impossible;
  header.inode = made.st_ino;
  header.changed = made.st_ctim;
}

/// Removes temporary files of children that were killed.
void Server::sweep() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
    if (entry.path().filename().string().starts_with("edg"))
      std::filesystem::remove(entry.path(), ignored);
}

void Server::reap() {
  int status = 0;
  rusage usage{};
  for (pid_t pid; (pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0;) {
    const auto found = children_.find(pid);
    if (found == children_.end()) continue;
    const Child child = std::move(found->second);
    children_.erase(found);
    NvrtcFate fate;
    fate.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    fate.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    fate.was_late = child.was_late ? 1 : 0;
    const auto ns = [](const timeval& t) {
      return std::int64_t{t.tv_sec} * 1'000'000'000 + std::int64_t{t.tv_usec} * 1'000;
    };
    fate.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
    fate.max_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
    if (child.precompiles != 0) finish_header(child.precompiles, fate.code == 0);
    if (child.fate)
      player::send_packet(child.fate.get(), std::as_bytes(std::span(&fate, 1)), {}, false);
  }
  if (children_.empty()) sweep();
}

void Server::kill_late() {
  const Clock::time_point now = Clock::now();
  for (auto& [pid, child] : children_) {
    if (child.deadline > now) continue;
    child.was_late = true;
    child.deadline = now + std::chrono::seconds(1);  // kill again if the child still exists then
    ::kill(pid, SIGKILL);
  }
}

int Server::serve() {
  const sigset_t ended = ends_of_children();
  const Fd signals(::signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return 1;
  std::array<pollfd, 2> ready{{{kNvrtcControlFd, POLLIN, 0}, {signals.get(), POLLIN, 0}}};
  for (;;) {
    if (::poll(ready.data(), ready.size(), children_.empty() ? -1 : kLookMs) < 0 && errno != EINTR)
      return 1;
    if (ready[1].revents != 0) {
      signalfd_siginfo seen;
      while (::read(signals.get(), &seen, sizeof seen) > 0) {
      }
    }
    reap();
    kill_late();
    if (ready[0].revents != 0 && !take_packet()) break;
    start_waiting();
  }
  // The controller is gone, so all children are killed. The end of a PID namespace would kill them
  // too, but not every jail has one.
  for (const auto& [pid, child] : children_) ::kill(pid, SIGKILL);
  return 0;
}

/// Loads every part of the compiler by compiling a small source, so that children share what is
/// already loaded.
std::string warm_up(NvrtcLibrary& library) {
  NvrtcJob job;
  job.log_bytes = 400;
  job.object_bytes = std::uint64_t{1} << 20;
  job.source =
      "extern \"C\" __global__ void kw_warm(float* x) { x[threadIdx.x] *= __shfl_xor_sync(~0u, "
      "x[0], 1); }\n";
  job.options = {"-arch=sm_" + std::to_string(library.architectures().back())};
  job.names = {"kw_warm"};
  const NvrtcAnswer answer = library.compile(job, {});
  if (answer.result == 0) return {};
  return "the NVRTC library cannot compile a trivial kernel: " + answer.result_name + ": " +
         answer.log;
}

int run(int argc, char** argv) {
  // SIGCHLD is blocked before NVRTC starts threads, since a thread in which it is not blocked could
  // receive it.
  const sigset_t ended = ends_of_children();
  ::sigprocmask(SIG_BLOCK, &ended, nullptr);
  NvrtcGreeting greeting;
  NvrtcLibrary library;
  std::string trouble = argc == 4 ? library.load(argv[1], argv[2]) : "usage";
  if (trouble.empty()) trouble = warm_up(library);
  if (trouble.empty()) {
    greeting.major = library.major();
    greeting.minor = library.minor();
    greeting.has_pch = library.set_pch_heap(kPchHeapBytes) ? 1 : 0;
    std::string architectures;
    for (const int number : library.architectures())
      architectures += (architectures.empty() ? "" : " ") + std::to_string(number);
    greeting.set_words(architectures);
  } else {
    greeting.set_words(trouble);
  }
  if (player::send_packet(kNvrtcControlFd, std::as_bytes(std::span(&greeting, 1)), {}, true) != 0)
    return 1;
  return trouble.empty() ? Server(std::move(library), argv[3]).serve() : 1;
}

}  // namespace
}  // namespace kw::compile

int main(int argc, char** argv) { return kw::compile::run(argc, argv); }
