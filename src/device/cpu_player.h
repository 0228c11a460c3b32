// The referee's side of one CPU player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/player.h"
#include "device/player_process.h"
#include "device/vantage.h"

namespace kw::device {

class CpuBuffer;

class CpuPlayer final : public Player {
 public:
  struct Setup {
    std::string name;
    std::int64_t memory_bytes = 0;
    int threads = 1;
    /// Mutex held by timed calls, and by the pool while it starts a player, which takes a core for
    /// milliseconds (PoolOptions::exclusion). Must outlive the player.
    std::mutex* alone = nullptr;
    std::vector<const CpuBuffer*> buffers;
    std::vector<bool> writable;
  };

  /// Lets a blank player map the buffers and limit its memory; on return the player is stopped.
  static Result<std::unique_ptr<CpuPlayer>> prepare(BlankPlayer blank, const Setup& setup);

  JailLevel jail() const override { return process_.jail(); }
  int uid() const override { return process_.uid(); }
  LoadResult load(const BuiltObject& object) override;
  CallResult call(const Call& call) override;
  CallResult call_empty() override;
  Result<AfterReturn> watch_after_return(std::int64_t ns) override {
    return process_.watch_after_return(ns);
  }
  bool is_alive() const override { return process_.is_alive(); }

 private:
  CpuPlayer(BlankPlayer blank, const Setup& setup);

  PlayerProcess process_;
  std::mutex& alone_;
  Vantage vantage_;
};

}  // namespace kw::device
