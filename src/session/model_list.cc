// Looks at models, and asks them whether they answer.
// SPDX-License-Identifier: Apache-2.0
#include "session/model_list.h"

#include <chrono>
#include <filesystem>

#include "llm/open_model.h"
#include "llm/providers.h"
#include "net/curl.h"
#include "platform/clock.h"
#include "session/model_access.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

/// How long --check waits for a server to answer with one token; the server may have to load the
/// model first.
constexpr std::chrono::minutes kCheckPatience{2};
ModelState model_state(const llm::ModelSpec& spec, const std::string& from,
                       const llm::ModelSurroundings& around) {
  ModelState state{spec, from, around.prices.find(spec), {}, llm::warnings_for(spec, around), {}};
  const bool has_key = around.keys.of(spec.provider).is_set();
  std::error_code ignored;
  if (spec.is_remote() && spec.has_own_base_url() && !has_key)
    state.trouble = std::string("set ") + llm::info_of(spec.provider).key_name;
  if (spec.is_scripted() && !std::filesystem::exists(spec.name, ignored))
    state.trouble = "no such file";
  return state;
}

/// The environment variables for the API keys of models, and whether each is set.
std::vector<std::pair<std::string, bool>> keys_of(const llm::ModelSurroundings& around) {
  std::vector<std::pair<std::string, bool>> keys;
  for (const llm::ProviderInfo& info : llm::providers())
    if (*info.key_name != '\0')
      keys.emplace_back(info.key_name,
                        around.keys.of(llm::provider_named(info.name).value()).is_set());
  return keys;
}

Result<llm::ModelSurroundings> model_surroundings(const Options& options) {
  llm::ModelSurroundings around;
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(open_prices(KW_TRY(open_data(options))));
  return around;
}

}  // namespace

Result<std::vector<llm::ModelSpec>> embedding_models(const std::vector<std::string>& names,
                                                     const std::string& base_url) {
  std::vector<llm::ModelSpec> specs;
  for (const std::string& name : names) {
    specs.push_back(KW_TRY(as_input(llm::parse_model_spec(name, base_url))));
    specs.back().role = kEmbedRole;
  }
  return specs;
}

Result<ModelList> list_models(const Options& options, const std::vector<NamedModels>& named) {
  const llm::ModelSurroundings around = KW_TRY(model_surroundings(options));
  ModelList list;
  list.keys = keys_of(around);
  for (const NamedModels& models : named)
    for (const llm::ModelSpec& spec : models.specs)
      list.models.push_back(model_state(spec, models.from, around));
  list.prices = around.prices.all();
  return list;
}

Result<> check_models(const Options& options, ModelList& list,
                      const std::function<void(const ModelState&)>& before,
                      const std::function<void(const ModelState&)>& after) {
  llm::ModelSurroundings around = KW_TRY(model_surroundings(options));
  const auto http = net::make_curl_client();
  around.http = http.get();
  around.clock = &platform::real_clock();
  around.timeouts.first_byte = around.timeouts.idle = around.timeouts.total = kCheckPatience;
  for (ModelState& state : list.models) {
    before(state);
    state.check = state.spec.role == kEmbedRole ? llm::check_embedder(state.spec, around)
                                                : llm::check_model(state.spec, around);
    after(state);
  }
  return {};
}

}  // namespace kw::session
