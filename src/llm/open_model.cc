// Opens models and puts the decorators around them.
// SPDX-License-Identifier: Apache-2.0
#include "llm/open_model.h"

#include <utility>

#include "llm/providers.h"

namespace kw::llm {
Result<std::unique_ptr<ChatModel>> open_model(const ModelSpec& spec,
                                              const ModelSurroundings& around) {
  std::unique_ptr<ChatModel> model = KW_TRY(info_of(spec.provider).open(spec, around));
  if (spec.is_remote() &&
      (around.rates.requests_per_minute > 0 || around.rates.tokens_per_minute > 0))
    model = std::make_unique<RateLimitModel>(std::move(model), around.rates, *around.clock,
                                             around.ledger);
  if (around.ledger != nullptr)
    model =
        std::make_unique<BudgetModel>(std::move(model), *around.ledger, around.prices.find(spec));
  model = std::make_unique<RetryModel>(std::move(model), around.retry, *around.clock,
                                       around.seed.child(spec.text()), around.ledger);
  if (around.cache != nullptr)
    model = std::make_unique<CacheModel>(std::move(model), *around.cache, *around.clock);
  if (around.records != nullptr)
    model = std::make_unique<RecordModel>(std::move(model), *around.records, *around.clock);
  return model;
}

Result<std::unique_ptr<EmbeddingModel>> open_embeddings(const ModelSpec& spec,
                                                        const ModelSurroundings& around) {
  std::unique_ptr<EmbeddingModel> model = KW_TRY(open_plain_embeddings(spec, around));
  if (around.ledger != nullptr)
    model = std::make_unique<BudgetEmbeddings>(std::move(model), *around.ledger,
                                               around.prices.find(spec));
  return std::make_unique<RetryEmbeddings>(std::move(model), around.retry, *around.clock,
                                           around.seed.child(spec.text()), around.ledger);
}

std::vector<std::string> warnings_for(const ModelSpec& spec, const ModelSurroundings& around) {
  std::vector<std::string> warnings;
  if (!around.prices.find(spec))
    warnings.push_back(spec.text() +
                       ": the model's price is not known; tokens are counted, dollars are not");
  if (around.keys.of(spec.provider).is_set() && spec.base_url.starts_with("http://") &&
      !net::is_loopback(net::host_of(spec.base_url)))
    warnings.push_back(
        spec.text() +
        ": the API key is sent unencrypted, because the base URL begins with http://");
  return warnings;
}

}  // namespace kw::llm
