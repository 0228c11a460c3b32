// Players started ahead of need, so that the cost of jail and process overlaps with other work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/hold.h"
#include "platform/jail.h"

namespace kw::device {

/// A jailed player process that has said nothing but Hello and mapped nothing.
struct BlankPlayer {
  // The process is the last member, so that it is killed before its folder goes.
  platform::TempDir folder;  ///< Where the objects it may load are put; it can read, not write.
  platform::Fd channel;
  JailLevel level = JailLevel::None;  ///< The level that it was launched at.
  /// Null where it may not be used, and where few threads make signals the cheaper way.
  std::unique_ptr<Hold> freezer;
  platform::Process process;
};

struct PoolOptions {
  platform::Path program;  ///< The player executable.
  int threads = 1;         ///< Most threads that a candidate may need.
  int spare = 2;           ///< Blank players kept per level, after the first request for it.
  std::optional<JailLevel> expected{};  ///< A level whose players are started without a request.
  /// Files beside the program and the folder of its objects. All that a player sees of the system,
  /// unless it needs a driver.
  std::vector<platform::Path> readable = {};
  // What a player of a GPU needs beyond that.
  std::vector<std::string> arguments = {};    ///< After the folder of its objects.
  std::vector<std::string> environment = {};  ///< Beside what every player has.
  std::vector<platform::Path> device_nodes = {};
  /// Held while a player starts, until it has greeted, and by whoever must not be disturbed by
  /// that: making a context keeps a GPU busy for a tenth of a second. Borrowed; may be null.
  std::mutex* exclusion = nullptr;
  /// The system's files, /proc, and sockets of its own while it initialises.
  bool needs_driver = false;
};

/// Starts blank players on a thread of its own. All players that it made must be gone before it is:
/// they die with that thread.
class PlayerPool {
 public:
  explicit PlayerPool(PoolOptions options);
  PlayerPool(const PlayerPool&) = delete;
  PlayerPool& operator=(const PlayerPool&) = delete;
  ~PlayerPool();

  /// A blank player, at once if one is spare; else after a few milliseconds. Asks for its
  /// replacement if it is followed by another before long.
  Result<BlankPlayer> take(JailLevel level, bool is_followed = true);

 private:
  struct Shelf {
    int wanted = 0;  ///< Takers that wait.
    int spare = 0;   ///< How many to keep.
    std::deque<Result<BlankPlayer>> ready;
  };

  static std::map<JailLevel, Shelf> first_shelves(const PoolOptions& options);
  void work();
  Result<BlankPlayer> start(JailLevel level) const;

  PoolOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<JailLevel, Shelf> shelves_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace kw::device
