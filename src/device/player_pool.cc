// Starts player processes on a thread of the pool.
// SPDX-License-Identifier: Apache-2.0
#include "device/player_pool.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "base/defence.h"
#include "player/protocol.h"

namespace kw::device {
namespace {

/// Threads from which on the freezer is used. A process changes its group within a grace period of
/// the kernel's RCU, some 10 ms in which no process of the machine creates a thread; with fewer
/// threads, signals cost less than that in the whole life of a player.
constexpr int kThreadsForFreezer = 32;

/// The environment, equal for every player, so that both sides of a pair have the same
/// surroundings.
std::vector<std::string> environment() {
  return {
      "PATH=/usr/bin:/bin",
      "LC_ALL=C",
      "TZ=UTC",
      "OMP_WAIT_POLICY=passive",  // spinning threads would use milliseconds after each return
      "OMP_DYNAMIC=false",
      // The first tunable gives workspaces of megabytes huge pages where the system allows them on
      // request. The second switches off restartable sequences, by which a thread could notice that
      // it was interrupted.
      "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.pthread.rseq=0",
  };
}

}  // namespace

PlayerPool::PlayerPool(PoolOptions options)
    : options_(std::move(options)),
      shelves_(first_shelves(options_)),
      thread_([this] { work(); }) {}

PlayerPool::~PlayerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::map<JailLevel, PlayerPool::Shelf> PlayerPool::first_shelves(const PoolOptions& options) {
  std::map<JailLevel, Shelf> shelves;
  if (options.expected) shelves[*options.expected].spare = options.spare;
  return shelves;
}

Result<BlankPlayer> PlayerPool::take(JailLevel level, bool is_followed) {
  std::unique_lock lock(mutex_);
  Shelf& shelf = shelves_[level];
  shelf.spare = is_followed ? options_.spare : 0;
  ++shelf.wanted;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !shelf.ready.empty(); });
  Result<BlankPlayer> taken = std::move(shelf.ready.front());
  shelf.ready.pop_front();
  --shelf.wanted;
  return taken;
}

void PlayerPool::work() {
  const auto lacking = [this]() -> const JailLevel* {
    for (const auto& [level, shelf] : shelves_)
      if (static_cast<int>(shelf.ready.size()) < shelf.wanted) return &level;
    for (const auto& [level, shelf] : shelves_)
      // A failed start is kept for the next caller of take() and not repeated.
      if (static_cast<int>(shelf.ready.size()) < shelf.spare &&
          (shelf.ready.empty() || shelf.ready.back().has_value()))
        return &level;
    return nullptr;
  };
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_ending_ || lacking() != nullptr; });
    if (is_ending_) break;
    const JailLevel level = *lacking();
    lock.unlock();
    auto player = start(level);
    lock.lock();
    shelves_[level].ready.push_back(std::move(player));
    changed_.notify_all();
  }
  shelves_.clear();
}

Result<BlankPlayer> PlayerPool::start(JailLevel level) const {
  auto folder = KW_TRY(platform::TempDir::create("kw-player"));
  std::error_code trouble;
  // The folder is readable by all, since the player may run as another user; the folder's name is
  // random, and its content is the candidate's own code.
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755), trouble);
  if (trouble)
    return platform::fail_errno("make this folder accessible to the process that runs candidates",
                                folder.path(), trouble.value());

  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return platform::fail_errno("make a socket pair to the process that runs candidates", "player",
                                errno);
  platform::Fd ours(ends[0]);
  const platform::Fd theirs(ends[1]);

  platform::JailSpec jail;
  jail.level = level;
  jail.readable = {options_.program, folder.path()};
  jail.device_nodes = options_.device_nodes;
  // A GPU's driver looks for its files all over the system, so its players see the system's files.
  jail.system_files = options_.needs_driver || !is_on(Defence::OwnRoot);
  jail.plain_devices = jail.system_files;
  if (options_.needs_driver || is_on(Defence::OwnRoot))
    jail.readable.insert(jail.readable.end(), options_.readable.begin(), options_.readable.end());
  jail.proc = jail.local_sockets = options_.needs_driver;
  jail.max_processes = is_on(Defence::ResourceLimits) ? 64 + 2 * options_.threads : 1 << 16;
  jail.tmp_bytes = std::uint64_t{is_on(Defence::ResourceLimits) ? 16U : 1024U} << 20;
  jail.file_bytes = std::uint64_t{16} << 20;
  if (!is_on(Defence::ResourceLimits)) jail.file_bytes = 0;
  if (options_.needs_driver) jail.file_bytes = std::uint64_t{1} << 30;  // the driver's memfds
  jail.env = environment();
  if (!is_on(Defence::ExactEnvironment))
    if (const auto secret = platform::env_of_ours("KW_EXPLOIT_SECRET")) jail.env.push_back(*secret);
  if (!defences_variable().empty()) jail.env.emplace_back(defences_variable());
  jail.env.insert(jail.env.end(), options_.environment.begin(), options_.environment.end());
  jail.fds = {{theirs.get(), player::kChannelFd}};
  jail.out = jail.err =
      is_on(Defence::SilentPlayers) ? platform::Output::Discard : platform::Output::Inherit;
  std::vector<std::string> argv{options_.program.string(), folder.path().string()};
  argv.insert(argv.end(), options_.arguments.begin(), options_.arguments.end());
  std::unique_lock<std::mutex> undisturbed;
  if (options_.exclusion != nullptr) undisturbed = std::unique_lock(*options_.exclusion);
  auto process = KW_TRY(platform::launch(jail, argv));
  if (undisturbed.owns_lock()) {
    // The greeting stays in the channel; if it never comes, whoever takes the player gets the
    // error.
    pollfd greeting[2] = {{ours.get(), POLLIN, 0}, {process.pidfd(), POLLIN, 0}};
    constexpr int kGreetingMs = 10'000;
    ::poll(greeting, 2, kGreetingMs);
  }
  std::unique_ptr<Hold> freezer;
  if (is_on(Defence::EveryThreadStopped) && options_.threads >= kThreadsForFreezer)
    freezer = hold_by_freezer(process);
  return BlankPlayer{std::move(folder), std::move(ours), jail.level, std::move(freezer),
                     std::move(process)};
}

}  // namespace kw::device
