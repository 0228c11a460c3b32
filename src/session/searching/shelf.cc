// Opens the knowledge for prompts: cards from the shipped files, and their embeddings.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/shelf.h"

#include <memory>
#include <utility>

#include "base/contains.h"
#include "base/rng.h"
#include "llm/open_model.h"
#include "memory/knowledge.h"
#include "net/curl.h"
#include "platform/clock.h"
#include "session/model_access.h"

namespace kw::session {
namespace {

/// An embedding model with everything that a call needs. Each call opens a new one, with the ledger
/// that pays for the call.
struct Embedder {
  std::unique_ptr<net::HttpClient> http = net::make_curl_client();
  llm::ModelSurroundings around;
  llm::ModelSpec spec;

  Result<std::unique_ptr<llm::EmbeddingModel>> open(llm::Ledger* ledger) {
    around.ledger = ledger;
    return llm::open_embeddings(spec, around);
  }
};

Result<std::shared_ptr<Embedder>> open_embedder(const memory::DataFiles& data,
                                                const llm::ModelSpec& spec,
                                                std::int64_t timeout_ns) {
  auto embedder = std::make_shared<Embedder>();
  embedder->spec = spec;
  llm::ModelSurroundings& around = embedder->around;
  around.http = embedder->http.get();
  around.clock = &platform::real_clock();
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(open_prices(data));
  around.seed = Seed::from_os();
  around.timeouts = timeouts_of(timeout_ns);
  KW_TRY(as_input(embedder->open(nullptr)));
  return embedder;
}

}  // namespace

Result<> check_embedder(const memory::DataFiles& data, const std::string& embedder,
                        const std::string& base_url, RunConfig& config,
                        const std::function<void(const std::string&)>& on_notice) {
  if (embedder.empty()) return {};
  const auto spec = KW_TRY(as_input(llm::parse_model_spec(embedder, base_url)));
  llm::ModelSurroundings around;
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(open_prices(data));
  if (config.limits.usd) KW_TRY(needs_price(around.prices, spec));
  for (const std::string& warning : llm::warnings_for(spec, around)) on_notice(warning);
  const auto price = around.prices.find(spec);
  if (price && spec.is_remote() && !contains(config.prices, *price))
    config.prices.push_back(*price);
  return {};
}

Result<engine::Shelf> open_shelf(const memory::DataFiles& data, const std::string& embedder_name,
                                 const std::string& base_url, std::int64_t timeout_ns,
                                 std::function<void(const std::string&)> on_notice) {
  engine::Shelf shelf;
  shelf.shipped = KW_TRY(as_input(memory::shipped_cards(data)));
  shelf.playbook = memory::playbook_cards(data);
  shelf.on_notice = std::move(on_notice);
  if (embedder_name.empty()) return shelf;
  const auto spec = KW_TRY(as_input(llm::parse_model_spec(embedder_name, base_url)));
  const auto embedder = KW_TRY(open_embedder(data, spec, timeout_ns));
  shelf.embedder = spec.text();
  shelf.embed = [embedder](const std::vector<std::string>& texts,
                           llm::Ledger* ledger) -> Result<std::vector<std::vector<float>>> {
    const auto model = KW_TRY(embedder->open(ledger));
    llm::Call call;
    call.scope = "knowledge";
    return KW_TRY(model->embed(texts, call)).vectors;
  };
  return shelf;
}

}  // namespace kw::session
