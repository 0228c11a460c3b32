// RetryModel: asks again where trouble may pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/rng.h"
#include "llm/budget.h"
#include "llm/chat_model.h"
#include "platform/clock.h"

namespace kw::llm {

/// How an error ends that is a refusal in the words of the one before.
inline constexpr const char* kRefusedTwice = " (refused twice in a row)";

struct RetryPolicy {
  int max_tries = 6;
  std::chrono::milliseconds first_wait{1'000};     ///< Doubles with every try.
  std::chrono::milliseconds longest_wait{60'000};  ///< Of one wait that we choose ourselves.
  std::chrono::milliseconds longest_retry_after{
      300'000};  ///< A server that asks for more is not waited for.
};

/// The waits of one call. With jitter: between half and all of the doubled wait, so that several
/// callers do not come back together. A Retry-After is honoured in full, with up to a tenth on top.
class Backoff {
 public:
  Backoff(RetryPolicy policy, Seed seed) : policy_(policy), rng_(seed) {}
  /// How long to wait after this failed try; none: no further try.
  std::optional<std::chrono::milliseconds> next(
      std::optional<std::chrono::milliseconds> retry_after);
  int tries() const { return tries_; }

 private:
  RetryPolicy policy_;
  Rng rng_;
  int tries_ = 0;
};

/// Repeats calls that fail with Advice::Retry (429, 5xx, 529, connection, cut streams), never
/// others (400, 401, 404, budgets). Says every wait aloud. A reply's `attempts` counts the tries.
/// Where the tries are used up or a server asks for too long a wait, the error is Advice::Stop: the
/// next request would meet the same. So is a refusal (GiveUp) in the words of the one before,
/// numbers apart, which is about no single request.
class RetryModel final : public ChatModel {
 public:
  /// `clock` and `ledger`, which may refuse a wait, must outlive the model; null: nobody does.
  /// Equal seeds give equal waits.
  RetryModel(std::unique_ptr<ChatModel> inner, RetryPolicy policy, platform::Clock& clock,
             Seed seed, Ledger* ledger = nullptr);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  Backoff new_backoff();
  void forget_refusal();
  /// The error to return for a refusal.
  Error refused(Error error);

  const std::unique_ptr<ChatModel> inner_;
  const RetryPolicy policy_;
  platform::Clock& clock_;
  Ledger* const ledger_;
  std::mutex mutex_;
  Seed seed_;
  std::uint64_t calls_ = 0;
  std::string last_refusal_;  ///< Of the call before, without its numbers; empty: it was answered.
};

/// The same for embeddings.
class RetryEmbeddings final : public EmbeddingModel {
 public:
  RetryEmbeddings(std::unique_ptr<EmbeddingModel> inner, RetryPolicy policy, platform::Clock& clock,
                  Seed seed, Ledger* ledger = nullptr);
  Result<Embeddings> embed(const std::vector<std::string>& texts, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<EmbeddingModel> inner_;
  const RetryPolicy policy_;
  platform::Clock& clock_;
  Ledger* const ledger_;
  const Seed seed_;
};

}  // namespace kw::llm
