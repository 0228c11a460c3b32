// CacheModel, RecordModel: store exchanges and serve them again, so that no exchange is paid for
// twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "llm/chat_model.h"
#include "platform/clock.h"
#include "platform/files.h"

namespace kw::llm {

/// A store of exchanges; used from several threads.
class ExchangeStore {
 public:
  virtual ~ExchangeStore() = default;
  virtual Result<std::optional<Exchange>> find(const std::string& key) = 0;
  /// Stores an exchange durably before it returns, since the reply is used only afterwards.
  virtual Result<> keep(const Exchange& exchange) = 0;
};

/// Stores each exchange as a JSON file in a folder, synced; several processes may share the folder.
class FolderExchanges final : public ExchangeStore {
 public:
  explicit FolderExchanges(platform::Path folder) : folder_(std::move(folder)) {}
  Result<std::optional<Exchange>> find(const std::string& key) override;
  Result<> keep(const Exchange& exchange) override;
  /// All exchanges of the folder, in no order; none where the folder does not exist.
  Result<std::vector<Exchange>> all() const;

 private:
  platform::Path folder_;
};

/// Makes keys of exchanges: SHA-256 over model, scope, request, and how often this process has
/// asked exactly the same before. So the third of three equal questions finds the third answer,
/// regardless of questions in other scopes between them.
class KeyMaker {
 public:
  std::string next(const std::string& model, const std::string& scope, const ChatRequest& request);

 private:
  std::mutex mutex_;
  /// How often each question was asked, by the first bytes of its hash. The rest is not kept,
  /// because a run asks thousands of questions.
  std::unordered_map<std::uint64_t, std::int32_t> asked_;
};

/// Serves replies to requests that any run has asked before, whatever the scope, at no cost; stores
/// replies that ended well.
class CacheModel final : public ChatModel {
 public:
  /// `store` and `clock` must outlive the model.
  CacheModel(std::unique_ptr<ChatModel> inner, ExchangeStore& store, platform::Clock& clock);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<ChatModel> inner_;
  ExchangeStore& store_;
  platform::Clock& clock_;
  KeyMaker keys_;
};

/// Serves the replies that its run has recorded, asks for the rest, and stores every completed
/// reply before the reply is used. A killed run that asks the same again pays nothing twice.
class RecordModel final : public ChatModel {
 public:
  RecordModel(std::unique_ptr<ChatModel> inner, ExchangeStore& store, platform::Clock& clock);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<ChatModel> inner_;
  ExchangeStore& store_;
  platform::Clock& clock_;
  KeyMaker keys_;
};

}  // namespace kw::llm
