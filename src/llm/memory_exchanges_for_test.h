// A store of exchanges in memory, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "llm/exchanges.h"

namespace kw::llm {

class MemoryExchanges final : public ExchangeStore {
 public:
  Result<std::optional<Exchange>> find(const std::string& key) override {
    const std::lock_guard guard(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return found->second;
  }
  Result<> keep(const Exchange& exchange) override {
    const std::lock_guard guard(mutex_);
    by_key_[exchange.key] = exchange;
    return {};
  }
  std::size_t size() const {
    const std::lock_guard guard(mutex_);
    return by_key_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Exchange> by_key_;
};

}  // namespace kw::llm
