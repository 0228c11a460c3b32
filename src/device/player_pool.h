// PlayerPool: players started ahead of need, so that the cost of jail and process overlaps with
// other work.
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

/// A jailed player process that has sent its greeting and has not mapped any buffer yet.
struct BlankPlayer {
  // The process is the last member, so that it is killed before its folder is removed.
  /// Folder of the objects that the player may load; it can read but not write there.
  platform::TempDir folder;
  platform::Fd channel;
  JailLevel level = JailLevel::None;  ///< Jail level at which the player was launched.
  /// Null where the freezer cannot be used, and where the player has so few threads that signals
  /// are cheaper.
  std::unique_ptr<Hold> freezer;
  platform::Process process;
};

struct PoolOptions {
  platform::Path program;  ///< The player executable.
  int threads = 1;         ///< Most threads that a candidate may need.
  /// Number of blank players kept ready per jail level, after the first request for that level.
  int spare = 2;
  std::optional<JailLevel> expected{};  ///< Level whose players are started without a request.
  /// Files that a player sees beside its program and the folder of its objects. Unless it needs a
  /// driver, it sees nothing else of the system.
  std::vector<platform::Path> readable = {};
  // The fields below are for players of a GPU.
  std::vector<std::string> arguments = {};    ///< Arguments after the folder of objects.
  std::vector<std::string> environment = {};  ///< Variables beside those of every player.
  std::vector<platform::Path> device_nodes = {};
  /// Mutex held while a player starts, until it has greeted, and by callers that a start must not
  /// disturb: creating a context keeps a GPU busy for a tenth of a second. Borrowed; may be null.
  std::mutex* exclusion = nullptr;
  /// Shows the player the system's files and /proc, and allows it sockets while it initialises.
  bool needs_driver = false;
};

/// Starts blank players on its own thread. All its players must be gone before the pool is
/// destroyed, since they die with that thread.
class PlayerPool {
 public:
  explicit PlayerPool(PoolOptions options);
  PlayerPool(const PlayerPool&) = delete;
  PlayerPool& operator=(const PlayerPool&) = delete;
  ~PlayerPool();

  /// Gives a blank player: at once if a spare one is ready, else after a few milliseconds. Starts
  /// its replacement if `is_followed`, that is if another player will be taken soon.
  Result<BlankPlayer> take(JailLevel level, bool is_followed = true);

 private:
  struct Shelf {
    int wanted = 0;  ///< Number of callers that wait for a player.
    int spare = 0;   ///< Number of players to keep ready.
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
