// Ledger, BudgetModel, BudgetEmbeddings: hard bounds on dollars, tokens, calls and waits, over all
// models of a run.
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

/// The one place that knows what a run has spent; shared by its models, safe from several threads.
class Ledger {
 public:
  /// `before`: what an earlier process of the same run spent.
  explicit Ledger(SpendLimits limits, Spent before = {}) : limits_(limits), spent_(before) {}

  /// Sets aside the worst case of a call. An Advice::Stop error says which bound it would break, or
  /// that a bound in dollars needs a price.
  Result<> reserve(const Usage& worst, const std::optional<Price>& price, const std::string& model);
  /// Replaces what was set aside by what it came to.
  void settle(const Usage& worst, const Usage& actual, const std::optional<Price>& price);

  /// No wait for a model may last beyond this moment of the run's clock, after which nobody needs
  /// its reply; 0: any may.
  void set_latest(std::int64_t at_ns);
  /// Refuses a wait that would; an Advice::Stop error says what is left.
  Result<> allow_wait(std::int64_t now_ns, std::int64_t wait_ns, const std::string& model);

  Spent spent() const;
  /// Why the latest call or wait was refused; empty: it was not.
  std::string refusal() const;
  /// Replaces those bounds that are given.
  void raise(const SpendLimits& limits);

 private:
  Result<> check(const Usage& worst, const std::optional<Price>& price,
                 const std::string& model) const;

  mutable std::mutex mutex_;
  SpendLimits limits_;
  Spent spent_;
  Spent reserved_;
  std::string refusal_;
  std::int64_t latest_ns_ = 0;
};

/// Stands inside of RetryModel, so that every try counts. Refuses before anything is sent.
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

/// The same for embeddings. Where a server counts no tokens, bytes are counted instead.
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
