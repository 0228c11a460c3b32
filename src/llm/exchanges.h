// CacheModel, RecordModel: exchanges kept and served again, so that none is paid
// twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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

/// Where exchanges are kept. Called from several threads.
class ExchangeStore {
 public:
  virtual ~ExchangeStore() = default;
  virtual Result<std::optional<Exchange>> find(const std::string& key) = 0;
  /// Durable when it returns: the reply is used only afterwards.
  virtual Result<> keep(const Exchange& exchange) = 0;
};

class MemoryExchanges final : public ExchangeStore {
 public:
  Result<std::optional<Exchange>> find(const std::string& key) override;
  Result<> keep(const Exchange& exchange) override;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Exchange> by_key_;
};

/// One JSON file per exchange in a folder, synced; processes may share it.
class FolderExchanges final : public ExchangeStore {
 public:
  explicit FolderExchanges(platform::Path folder) : folder_(std::move(folder)) {}
  Result<std::optional<Exchange>> find(const std::string& key) override;
  Result<> keep(const Exchange& exchange) override;
  /// All of the folder, in no order; none where there is no folder.
  Result<std::vector<Exchange>> all() const;

 private:
  platform::Path folder_;
};

/// Names exchanges by content: SHA-256 over model, scope, request and how often this process has
/// asked exactly that before. So the third of three equal questions finds the third answer, in
/// whatever order questions of other scopes came between.
class KeyMaker {
 public:
  std::string next(const std::string& model, const std::string& scope, const ChatRequest& request);

 private:
  std::mutex mutex_;
  /// By the beginning of the hash: a run asks thousands of questions, and all are counted.
  std::unordered_map<std::uint64_t, std::int32_t> asked_;
};

/// Serves what any run asked before, whatever its scope, at no cost; keeps replies that ended well.
class CacheModel final : public ChatModel {
 public:
  /// `store` and `clock` must outlive the model; so for RecordModel.
  CacheModel(std::unique_ptr<ChatModel> inner, ExchangeStore& store, platform::Clock& clock);
  Result<ChatReply> complete(const ChatRequest& request, Call& call) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  const std::unique_ptr<ChatModel> inner_;
  ExchangeStore& store_;
  platform::Clock& clock_;
  KeyMaker keys_;
};

/// The memory of a run: serves what it has recorded, asks for the rest, and keeps every completed
/// reply before it is used. A killed run that asks the same again pays nothing twice.
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
