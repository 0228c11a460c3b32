// Ledger, BudgetModel, BudgetEmbeddings: hard limits on dollars, tokens, calls and waits for all
// models of a run together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "llm/chat_model.h"

namespace kw::llm {

using Spent = Spending;

/// Counts what a run has spent, for all models of the run; safe to use from several threads.
class Ledger {
 public:
  /// `before` is what earlier processes of the same run have spent.
  explicit Ledger(SpendLimits limits, Spent before = {}) : limits_(limits), spent_(before) {}

  /// Sets aside the worst-case cost of a call. An Advice::Stop error says which bound the call
  /// would break, or that a bound in dollars needs a price.
  Result<> reserve(const Usage& worst, const std::optional<Price>& price, const std::string& model);
  /// Replaces the reserved cost of a call by its actual cost.
  void settle(const Usage& worst, const Usage& actual, const std::optional<Price>& price);

  /// Gives back the reserved cost of a call that will go on later: see TryReport::is_pending.
  void release(const Usage& worst, const std::optional<Price>& price);

  /// Sets the moment on the run's clock after which no reply is needed, so that waits for a model
  /// must end before; 0: waits are not limited.
  void set_latest(std::int64_t at_ns);
  /// Refuses a wait beyond the moment of set_latest(); the Advice::Stop error says how much time is
  /// left.
  Result<> allow_wait(std::int64_t now_ns, std::int64_t wait_ns, const std::string& model);

  Spent spent() const;
  /// Why the latest call or wait was refused; empty: it was allowed.
  std::string refusal() const;
  /// Replaces the bounds that are set in `limits`.
  void raise(const SpendLimits& limits);

 private:
  /// Takes back what reserve() added; the mutex is held.
  void take_back(const Usage& worst, const std::optional<Price>& price);
  Result<> check(const Usage& worst, const std::optional<Price>& price,
                 const std::string& model) const;

  mutable std::mutex mutex_;
  SpendLimits limits_;
  Spent spent_;
  Spent reserved_;
  std::string refusal_;
  std::int64_t latest_ns_ = 0;
};

/// Refuses calls beyond the ledger's bounds before anything is sent. RetryModel wraps this model,
/// so that every try is counted.
class BudgetModel final : public ChatModel {
 public:
  /// `ledger` must outlive the model.
  BudgetModel(std::unique_ptr<ChatModel> inner, Ledger& ledger, std::optional<Price> price);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<ChatModel> inner_;
  Ledger& ledger_;
  const std::optional<Price> price_;
};

/// Refuses embeddings beyond the ledger's bounds. Where a server counts no tokens, bytes are
/// counted as tokens.
class BudgetEmbeddings final : public EmbeddingModel {
 public:
  /// `ledger` must outlive the model.
  BudgetEmbeddings(std::unique_ptr<EmbeddingModel> inner, Ledger& ledger,
                   std::optional<Price> price);
  Result<Embeddings> embed(const std::vector<std::string>& texts, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<EmbeddingModel> inner_;
  Ledger& ledger_;
  const std::optional<Price> price_;
};

}  // namespace kw::llm
