// From a spec to a model: its provider, and the decorators of a run around it in their order.
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

/// What models need from their surroundings. Pointers are borrowed and must outlive every model.
struct Surroundings {
  net::HttpClient* http = nullptr;
  platform::Clock* clock = nullptr;
  Keys keys;
  PriceTable prices;
  net::HttpTimeouts timeouts;
  RetryPolicy retry;
  RateLimits rates;
  Ledger* ledger = nullptr;          ///< Null: nothing is bounded.
  ExchangeStore* records = nullptr;  ///< Of the run; null: nothing is recorded.
  ExchangeStore* cache = nullptr;    ///< Across runs; null: none.
  Seed seed;                         ///< Of the jitter.
  std::int64_t script_position = 0;  ///< Tries of a scripted model that earlier processes used up.
};

/// record(cache(retry(budget(rate limit(provider))))). Opens no connection. Errors: a script or a
/// folder that cannot be used, a remote model without its key.
Result<std::unique_ptr<ChatModel>> open_model(const ModelSpec& spec, const Surroundings& around);

/// retry(budget(provider)) for `openai:NAME`; other providers have no embeddings.
Result<std::unique_ptr<EmbeddingModel>> open_embeddings(const ModelSpec& spec,
                                                        const Surroundings& around);

/// What the user should hear before a model is used: a price that is unknown, a key that would
/// travel unencrypted. Empty: nothing.
std::vector<std::string> warnings_for(const ModelSpec& spec, const Surroundings& around);

}  // namespace kw::llm
