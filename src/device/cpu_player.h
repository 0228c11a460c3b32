// The referee's end of one CPU player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/player.h"
#include "device/player_pool.h"
#include "player/protocol.h"

namespace kw::device {

class CpuBuffer;

class CpuPlayer final : public Player {
 public:
  struct Setup {
    std::string name;
    std::int64_t memory_bytes = 0;
    int threads = 1;
    std::vector<const CpuBuffer*> buffers;
    std::vector<bool> writable;
  };

  /// Lets a blank player map the buffers and lock itself down; on return it is stopped.
  static Result<std::unique_ptr<CpuPlayer>> prepare(BlankPlayer blank, const Setup& setup);

  JailLevel jail() const override { return blank_.level; }
  int uid() const override { return static_cast<int>(blank_.process.uid()); }
  LoadResult load(const BuiltObject& object) override;
  CallResult call(const Call& call) override;
  CallResult call_empty() override;
  Result<AfterReturn> watch_after_return(std::int64_t ns) override;
  bool is_alive() const override { return is_alive_; }

 private:
  /// What came back for one request, and when.
  struct Exchange {
    CallResult result;
    std::optional<player::Answer> answer;  ///< Where the fate is Returned.
  };

  CpuPlayer(BlankPlayer blank, const Setup& setup);
  Result<> map_buffers(const Setup& setup);
  Exchange exchange(std::span<const std::byte> request, std::span<const int> descriptors,
                    player::Kind expected, std::int64_t timeout_ns);
  /// Waits for the answer to `sequence`; sets fate and elapsed time, leaves the process running.
  void await(Exchange& into, std::uint64_t sequence, player::Kind expected, std::int64_t start_ns,
             std::int64_t timeout_ns);
  void judge_answer(Exchange& into, std::uint64_t sequence, player::Kind expected);
  /// Fate of a process that ended, or closed its channel, without an answer.
  CallResult reap(std::int64_t patience_ns);
  CallResult end(Fate fate, std::string detail);
  bool stop();
  Result<std::string> stage(const BuiltObject& object);

  BlankPlayer blank_;
  std::string name_;
  bool is_alive_ = true;
  int staged_ = 0;
  std::int64_t cpu_at_answer_ns_ = 0;
};

}  // namespace kw::device
