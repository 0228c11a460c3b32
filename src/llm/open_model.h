// Opens the model that a spec names: its provider, and the decorators of a run around it in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "base/rng.h"
#include "llm/budget.h"
#include "llm/chat_model.h"
#include "llm/exchanges.h"
#include "llm/prices.h"
#include "llm/rate_limit.h"
#include "llm/retry.h"
#include "llm/secret.h"
#include "llm/spec.h"
#include "net/http.h"

namespace kw::llm {

/// What models need from the program. Pointers are borrowed and must outlive every model.
struct ModelSurroundings {
  net::HttpClient* http = nullptr;
  platform::Clock* clock = nullptr;
  Keys keys;
  PriceTable prices;
  net::HttpTimeouts timeouts;
  RetryPolicy retry;
  RateLimits rates;
  Ledger* ledger = nullptr;          ///< Null: spending is not bounded.
  ExchangeStore* records = nullptr;  ///< The run's exchanges; null: nothing is recorded.
  ExchangeStore* cache = nullptr;    ///< Exchanges of all runs; null: there is no cache.
  Seed seed;                         ///< The seed of retries' jitter.
  /// Tries of a scripted model that earlier processes have used up.
  std::int64_t script_position = 0;
};

/// Opens record(cache(retry(budget(rate limit(provider))))), without opening a connection. Errors:
/// a script or folder cannot be used, or a remote model has no key.
Result<std::unique_ptr<ChatModel>> open_model(const ModelSpec& spec,
                                              const ModelSurroundings& around);

/// Opens retry(budget(provider)) for a provider that has embeddings. Errors: it has none, or a
/// vendor's own address has no key.
Result<std::unique_ptr<EmbeddingModel>> open_embeddings(const ModelSpec& spec,
                                                        const ModelSurroundings& around);

/// Warnings for the user before a model is used: an unknown price, a key that would travel
/// unencrypted.
std::vector<std::string> warnings_for(const ModelSpec& spec, const ModelSurroundings& around);

}  // namespace kw::llm
