// The referee's side of one player on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda_buffer.h"
#include "device/cuda_clock.h"
#include "device/player.h"
#include "device/player_process.h"

namespace kw::device {

/// State that the players of one device share.
struct CudaTurn {
  /// Mutex held by timed calls, and by the pool while it starts a player (PoolOptions::exclusion).
  std::mutex alone;
  /// The player that carries out forget() while the referee works; forget() must end before any
  /// player is called.
  class CudaPlayer* forgetting = nullptr;
};

class CudaPlayer final : public Player {
 public:
  struct Setup {
    std::string name;
    int trusted = -1;          ///< Descriptor of the cubin of cuda/player.cu; borrowed.
    CudaTurn* turn = nullptr;  ///< Borrowed for the player's life.
    std::vector<const CudaBuffer*> buffers;
    std::vector<bool> writable;
    bool runs_host_code = false;
  };

  /// Lets a blank player map the buffers, take the trusted kernels and lock itself down; on return
  /// the player is stopped. Takes about 5 ms, since its context already exists.
  static Result<std::unique_ptr<CudaPlayer>> prepare(BlankPlayer blank, const Setup& setup);
  ~CudaPlayer() override;

  JailLevel jail() const override { return process_.jail(); }
  int uid() const override { return process_.uid(); }
  LoadResult load(const BuiltObject& object) override;
  LoadResult bind(const Binding& binding) override;
  CallResult forget(int plan) override;
  void begin_forget(int plan) override;
  void end_forget() override { settle(); }
  CallResult keep_only(int plan) override;
  CallResult call(const Call& call) override;
  CallResult call_empty() override;
  Result<AfterReturn> watch_after_return(std::int64_t ns) override {
    settle();
    return process_.watch_after_return(ns);
  }
  bool is_alive() const override { return process_.is_alive(); }

 private:
  CudaPlayer(BlankPlayer blank, const Setup& setup, SharedClock clock);
  CallResult run(player::RunRequest request, player::Kind kind, std::int64_t timeout_ns);
  /// Waits for the end of the request that begin_forget() sent.
  void settle();

  SharedClock clock_;
  /// How long the spacer kernel runs after its announcement, in ns; grows where this thread looks
  /// at the clock page too seldom, as on a busy machine.
  std::uint64_t lead_ns_ = 20'000;
  CudaTurn& turn_;
  int forgetting_plan_ = -1;
  /// The request that begin_forget() sent, while it is under way.
  std::optional<PlayerProcess::Asked> pending_ = {};
  /// Result of the request that begin_forget() sent; nothing once it was used.
  std::optional<CallResult> forgotten_ = {};
  bool runs_host_code_;
  PlayerProcess process_;
  /// For each loaded object: the symbols of kernels by the names that plans use.
  std::vector<std::map<std::string, std::string, std::less<>>> symbols_;
};

}  // namespace kw::device
