// RetryModel: repeats calls that failed for reasons that may pass.
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

/// Appended to the error of a refusal that has the same text as the previous one.
inline constexpr const char* kRefusedTwice = " (refused twice in a row)";

struct RetryPolicy {
  int max_tries = 6;
  /// The first wait; each further one is twice as long.
  std::chrono::milliseconds first_wait{1'000};
  /// The longest wait, except where a server asks for a longer one.
  std::chrono::milliseconds longest_wait{60'000};
  std::chrono::milliseconds longest_retry_after{
      300'000};  ///< A server that asks for more is not waited for.
};

/// Computes the waits of one call. Jitter shortens a wait to between half and all of its length, so
/// that several callers do not come back together. A Retry-After is waited for in full, with up to
/// a tenth on top.
class Backoff {
 public:
  Backoff(RetryPolicy policy, Seed seed) : policy_(policy), rng_(seed) {}
  /// How long to wait after this failed try; nothing: there is no further try.
  std::optional<std::chrono::milliseconds> next(
      std::optional<std::chrono::milliseconds> retry_after);
  int tries() const { return tries_; }

 private:
  RetryPolicy policy_;
  Rng rng_;
  int tries_ = 0;
};

/// Repeats calls that fail with Advice::Retry (429, 5xx, 529, connection, cut streams), never
/// others (400, 401, 404, budgets). Reports every wait. A reply's `attempts` counts the tries.
/// Where the tries are used up or a server asks for too long a wait, the error has Advice::Stop,
/// because the next request would fail too. A refusal (GiveUp) that equals the previous one, apart
/// from numbers, also becomes Advice::Stop, because it does not depend on the request.
class RetryModel final : public ChatModel {
 public:
  /// `clock` and `ledger` must outlive the model. The ledger may refuse a wait; with null none is
  /// refused. Equal seeds give equal waits.
  RetryModel(std::unique_ptr<ChatModel> inner, RetryPolicy policy, platform::Clock& clock,
             Seed seed, Ledger* ledger = nullptr);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  Backoff new_backoff();
  void forget_refusal();
  /// The error to return for a refusal: Advice::Stop where the refusal repeats.
  Error refused(Error error);

  const std::unique_ptr<ChatModel> inner_;
  const RetryPolicy policy_;
  platform::Clock& clock_;
  Ledger* const ledger_;
  std::mutex mutex_;
  Seed seed_;
  std::uint64_t calls_ = 0;
  /// The trouble_key() of the previous call's refusal; empty: the previous call was answered.
  std::string last_refusal_;
};

/// Repeats embeddings that fail with Advice::Retry, like RetryModel.
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
