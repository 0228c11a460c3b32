// The referee's end of any player: requests, and the judgement of what comes back.
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

inline constexpr std::int64_t kSecond = 1'000'000'000;  ///< In ns, as timeouts are.

/// Largest object that a player is given.
inline constexpr std::size_t kObjectCap = std::size_t{256} << 20;

/// One player process. It runs while a request is in flight and is stopped otherwise.
class PlayerProcess {
 public:
  /// What came back for one request, and when.
  struct Exchange {
    CallResult result;
    std::optional<player::Answer> answer;  ///< Where the fate is Returned.
  };
  /// A request under way, or how it ended before it was.
  struct Asked {
    Exchange so_far;
    bool is_open = false;
    std::uint64_t sequence = 0;
    std::int64_t start_ns = 0;
  };
  /// Called over and over while an answer is awaited; true once there is nothing more to watch for.
  using Watch = std::function<bool()>;

  PlayerProcess(BlankPlayer blank, std::string name);
  PlayerProcess(const PlayerProcess&) = delete;
  PlayerProcess& operator=(const PlayerProcess&) = delete;
  ~PlayerProcess();

  /// Takes the greeting of a blank player; an error says why there is none.
  Result<> greet();
  /// One request that must succeed before anything foreign runs: the error says what `action` met.
  Result<> require(const char* action, std::span<const std::byte> request,
                   std::span<const int> descriptors);
  /// Maps buffers in their order, one descriptor each.
  Result<> map(std::span<const player::MapEntry> entries, std::span<const int> descriptors);
  /// The last request before anything foreign is loaded; the process is stopped from then on.
  Result<> prepare(std::int64_t memory_bytes, int threads);

  /// Sends a request and waits for the answer to it. `watch` spins on this thread's processor until
  /// it says that it is done.
  Exchange exchange(std::span<const std::byte> request, std::span<const int> descriptors,
                    player::Kind expected, std::int64_t timeout_ns, const Watch& watch = {});
  /// The two halves of exchange(), for a caller with something to do in between. Nothing else may
  /// be asked before the answer is collected; `timeout_ns` counts from the asking.
  Asked ask(std::span<const std::byte> request, std::span<const int> descriptors);
  Exchange collect(Asked asked, player::Kind expected, std::int64_t timeout_ns,
                   const Watch& watch = {});
  Result<AfterReturn> watch_after_return(std::int64_t ns);
  /// Puts a shared object into the process's folder and lets it load it; its entry is kw_entry.
  LoadResult load_shared(const BuiltObject& object, std::int64_t timeout_ns);

  /// From now on whatever ends the process, this object's end included, returns only when nothing
  /// of it is left: where a driver has to tear down what it held, that takes longer than the kill.
  void await_death() { awaits_death_ = true; }
  /// It runs code on a GPU: only then is it heard about launches and faults of one.
  void speak_for_gpu() { speaks_for_gpu_ = true; }
  bool is_alive() const { return is_alive_; }
  JailLevel jail() const { return blank_.level; }
  int uid() const { return static_cast<int>(blank_.process.uid()); }
  const platform::Path& folder() const { return blank_.folder.path(); }
  const std::string& name() const { return name_; }

 private:
  /// Waits for the answer to `sequence`; sets fate and elapsed time, leaves the process running.
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
  int staged_ = 0;  ///< Objects in the folder.
  std::int64_t cpu_at_answer_ns_ = 0;
};

/// Unpredictable, so that an answer cannot be sent ahead of its request.
std::uint64_t fresh_sequence();

/// A request of fixed layout as bytes; they live as long as `request`.
template <class T>
std::span<const std::byte> seal(T& request, player::Kind kind) {
  request.header.kind = kind;
  request.header.bytes = sizeof request;
  request.header.sequence = fresh_sequence();
  return std::as_bytes(std::span(&request, 1));
}

/// A request that is its header alone.
struct BareRequest {
  player::Header header;
};

}  // namespace kw::device
