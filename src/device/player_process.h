// PlayerProcess: the referee's side of any player: sends requests and judges what comes back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "device/brake.h"
#include "device/player.h"
#include "device/player_pool.h"
#include "player/protocol.h"

namespace kw::device {

inline constexpr std::int64_t kSecond = 1'000'000'000;  ///< One second in ns, the unit of timeouts.

/// Largest object that a player is given.
inline constexpr std::size_t kObjectCap = std::size_t{256} << 20;

/// One player process. It runs while a request is in flight and is stopped otherwise.
class PlayerProcess {
 public:
  /// Result of one request, and when it came.
  struct Exchange {
    CallResult result;
    std::optional<player::Answer> answer;  ///< Set where the fate is Returned.
  };
  /// A request under way, or how it ended before it could be sent.
  struct Asked {
    Exchange so_far;
    bool is_open = false;
    std::uint64_t sequence = 0;
    std::int64_t start_ns = 0;
  };
  /// A function that is called again and again while an answer is awaited; true once there is
  /// nothing more to watch.
  using Watch = std::function<bool()>;

  PlayerProcess(BlankPlayer blank, std::string name);
  PlayerProcess(const PlayerProcess&) = delete;
  PlayerProcess& operator=(const PlayerProcess&) = delete;
  ~PlayerProcess();

  /// Receives the greeting of a blank player; an error says why there is none.
  Result<> greet();
  /// Sends a request that must succeed before foreign code runs; the error says why `action`
  /// failed.
  Result<> require(const char* action, std::span<const std::byte> request,
                   std::span<const int> descriptors);
  /// Maps buffers in their order, with one descriptor each.
  Result<> map(std::span<const player::MapEntry> entries, std::span<const int> descriptors);
  /// Sends the last request before foreign code is loaded; afterwards the process is stopped.
  Result<> prepare(std::int64_t memory_bytes, int threads);

  /// Sends a request and waits for its answer. Meanwhile `watch` is called in a loop on this
  /// thread's processor, until it says that it is done.
  Exchange exchange(std::span<const std::byte> request, std::span<const int> descriptors,
                    player::Kind expected, std::int64_t timeout_ns, const Watch& watch = {});
  /// The two halves of exchange(), for a caller with work to do in between. No other request may be
  /// made before the answer is collected; `timeout_ns` counts from ask().
  Asked ask(std::span<const std::byte> request, std::span<const int> descriptors);
  Exchange collect(Asked asked, player::Kind expected, std::int64_t timeout_ns,
                   const Watch& watch = {});
  Result<AfterReturn> watch_after_return(std::int64_t ns);
  /// Puts a shared object into the process's folder and lets the process load it; its entry is
  /// kw_entry.
  LoadResult load_shared(const BuiltObject& object, std::int64_t timeout_ns);

  /// From now on, whatever ends the process (this object's destruction included) waits until
  /// nothing of it is left. Where a driver has to release what the process held, that takes longer
  /// than the kill.
  void await_death() { awaits_death_ = true; }
  /// Says that the process runs code on a GPU; only then are its reports of launches and faults
  /// accepted.
  void speak_for_gpu() { speaks_for_gpu_ = true; }
  bool is_alive() const { return is_alive_; }
  JailLevel jail() const { return blank_.level; }
  int uid() const { return static_cast<int>(blank_.process.uid()); }
  const platform::Path& folder() const { return blank_.folder.path(); }
  const std::string& name() const { return name_; }

 private:
  /// Waits for the answer to `sequence`; sets fate and elapsed time, and leaves the process
  /// running.
  void await(Exchange& into, std::uint64_t sequence, player::Kind expected, std::int64_t start_ns,
             std::int64_t timeout_ns, const Watch& watch);
  void judge_answer(Exchange& into, std::uint64_t sequence, player::Kind expected);
  void judge_failure(Exchange& into, const player::Answer& answer, player::Kind expected);
  /// Fate of a process that ended, or closed its channel, without an answer.
  CallResult reap(std::int64_t patience_ns);
  Result<std::string> stage(const BuiltObject& object);
  CallResult end(Fate fate, std::string detail);
  void kill();

  BlankPlayer blank_;
  Brake brake_;
  std::string name_;
  bool is_alive_ = true;
  bool awaits_death_ = false;
  bool speaks_for_gpu_ = false;
  int staged_ = 0;  ///< Number of objects in the folder.
  std::int64_t cpu_at_answer_ns_ = 0;
};

/// A random number for a request, so that an answer cannot be sent ahead of its request.
std::uint64_t fresh_sequence();

/// A request of fixed layout as bytes, which are valid as long as `request`.
template <class T>
std::span<const std::byte> seal(T& request, player::Kind kind) {
  request.header.kind = kind;
  request.header.bytes = sizeof request;
  request.header.sequence = fresh_sequence();
  return std::as_bytes(std::span(&request, 1));
}

/// A request that consists of a header alone.
struct BareRequest {
  player::Header header;
};

}  // namespace kw::device
