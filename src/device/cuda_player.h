// The referee's end of one player on a GPU.
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

/// What the players of one device share.
struct CudaTurn {
  /// Held by timed calls, and as PoolOptions::exclusion.
  std::mutex alone;
  /// The one that forgets while the referee works; it is done before any player is called.
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
  /// it is stopped. About 5 ms, its context being there already.
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
  /// Waits for what begin_forget() began.
  void settle();

  SharedClock clock_;
  /// Grows where this thread looks too seldom for it, as on a busy machine.
  std::uint64_t lead_ns_ = 20'000;
  CudaTurn& turn_;
  int forgetting_plan_ = -1;
  std::optional<PlayerProcess::Asked> pending_ = {};  ///< The forgetting, while it is under way.
  std::optional<CallResult> forgotten_ = {};          ///< How it ended; nothing once it was used.
  bool runs_host_code_;
  PlayerProcess process_;
  /// Per loaded object: the symbol of each kernel as plans name it.
  std::vector<std::map<std::string, std::string, std::less<>>> symbols_;
};

}  // namespace kw::device
