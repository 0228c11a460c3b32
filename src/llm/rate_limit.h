// RateLimitModel: no more requests and tokens per minute than a provider allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "llm/budget.h"
#include "llm/chat_model.h"
#include "platform/clock.h"

namespace kw::llm {

/// The provider's limits; 0: no limit.
struct RateLimits {
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
};

/// Waits until the request fits into the last 60 s. A request counts with its worst-case tokens
/// until its true tokens are known. A request that is larger than the limit passes when the minute
/// is empty.
class RateLimitModel final : public ChatModel {
 public:
  /// `clock` and `ledger` must outlive the model. The ledger may refuse a wait; with null none is
  /// refused.
  RateLimitModel(std::unique_ptr<ChatModel> inner, RateLimits limits, platform::Clock& clock,
                 Ledger* ledger = nullptr);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  struct Sent {
    std::int64_t at_ns = 0;
    std::int64_t tokens = 0;
    std::uint64_t id = 0;
  };
  /// Enters the request into the window, or returns how long to wait before trying again.
  std::chrono::nanoseconds try_enter(std::int64_t tokens, std::uint64_t& id);
  void correct(std::uint64_t id, std::int64_t tokens);

  const std::unique_ptr<ChatModel> inner_;
  const RateLimits limits_;
  platform::Clock& clock_;
  Ledger* const ledger_;
  std::mutex mutex_;
  std::deque<Sent> window_;
  std::uint64_t next_id_ = 1;
};

}  // namespace kw::llm
