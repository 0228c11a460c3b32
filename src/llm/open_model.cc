// From a spec to a model.
// SPDX-License-Identifier: Apache-2.0
#include "llm/open_model.h"

#include <utility>

#include "base/text.h"
#include "llm/anthropic.h"
#include "llm/manual.h"
#include "llm/openai.h"
#include "llm/script.h"
#include "llm/scripted.h"
#include "platform/files.h"

namespace kw::llm {
namespace {

constexpr std::size_t kScriptCap = std::size_t{16} << 20;

Result<Endpoint> endpoint_of(const ModelSpec& spec, const Surroundings& around) {
  KW_ASSERT(around.http != nullptr && around.clock != nullptr);
  Endpoint endpoint;
  endpoint.http = around.http;
  endpoint.clock = around.clock;
  endpoint.spec = spec;
  endpoint.key = key_for(spec, around.keys);
  endpoint.redactor = around.keys.redactor();
  endpoint.timeouts = around.timeouts;
  endpoint.price = around.prices.find(spec);
  // Servers of one's own often want no key; the vendors always do.
  if (!endpoint.key.is_set() && spec.has_own_base_url())
    return fail(std::string("no key: set ") +
                    (spec.provider == Provider::Anthropic ? kAnthropicKeyName : kOpenAiKeyName),
                spec.text(), Advice::Stop);
  return endpoint;
}

Result<std::unique_ptr<ChatModel>> open_provider(const ModelSpec& spec,
                                                 const Surroundings& around) {
  switch (spec.provider) {
    case Provider::OpenAi:
      return make_openai_chat(KW_TRY(endpoint_of(spec, around)));
    case Provider::Anthropic:
      return make_anthropic_chat(KW_TRY(endpoint_of(spec, around)));
    case Provider::Manual: {
      ManualOptions options;
      options.folder = spec.name;
      options.clock = around.clock;
      return make_manual_chat(std::move(options));
    }
    case Provider::Scripted: {
      auto script =
          KW_TRY(parse_script(KW_TRY(platform::read_file(spec.name, kScriptCap)), spec.name));
      ScriptedOptions options;
      options.name = spec.text();
      options.clock = around.clock;
      options.position = around.script_position;
      return make_scripted_chat(std::move(script), std::move(options));
    }
  }
  KW_ASSERT(false);
}

}  // namespace

const Secret& key_for(const ModelSpec& spec, const Keys& keys) {
  static const Secret none;
  if (spec.provider == Provider::OpenAi) return keys.openai;
  return spec.provider == Provider::Anthropic ? keys.anthropic : none;
}

Result<std::unique_ptr<ChatModel>> open_model(const ModelSpec& spec, const Surroundings& around) {
  std::unique_ptr<ChatModel> model = KW_TRY(open_provider(spec, around));
  if (spec.is_remote() &&
      (around.rates.requests_per_minute > 0 || around.rates.tokens_per_minute > 0))
    model = std::make_unique<RateLimitModel>(std::move(model), around.rates, *around.clock);
  if (around.ledger != nullptr)
    model =
        std::make_unique<BudgetModel>(std::move(model), *around.ledger, around.prices.find(spec));
  model = std::make_unique<RetryModel>(std::move(model), around.retry, *around.clock,
                                       around.seed.child(spec.text()));
  if (around.cache != nullptr)
    model = std::make_unique<CacheModel>(std::move(model), *around.cache, *around.clock);
  if (around.records != nullptr)
    model = std::make_unique<RecordModel>(std::move(model), *around.records, *around.clock);
  return model;
}

Result<std::unique_ptr<EmbeddingModel>> open_embeddings(const ModelSpec& spec,
                                                        const Surroundings& around) {
  if (spec.provider != Provider::OpenAi)
    return fail("embeddings come from openai:NAME, at any base URL", spec.text());
  return std::make_unique<RetryEmbeddings>(
      make_openai_embeddings(KW_TRY(endpoint_of(spec, around))), around.retry, *around.clock,
      around.seed.child(spec.text()));
}

std::vector<std::string> warnings_for(const ModelSpec& spec, const Surroundings& around) {
  std::vector<std::string> warnings;
  if (!around.prices.find(spec))
    warnings.push_back(spec.text() + ": price unknown; tokens are counted, dollars are not");
  if (key_for(spec, around.keys).is_set() && spec.base_url.starts_with("http://") &&
      !net::is_loopback(net::host_of(spec.base_url)))
    warnings.push_back(spec.text() + ": the key travels unencrypted: the base URL is http");
  return warnings;
}

}  // namespace kw::llm
