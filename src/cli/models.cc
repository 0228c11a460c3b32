// kw models: which models can be called now, what they cost, and which keys are set.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/model_flags.h"
#include "llm/check.h"
#include "llm/open_model.h"
#include "llm/providers.h"
#include "net/curl.h"
#include "platform/clock.h"
#include "record/codec.h"
#include "session/model_access.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

struct ModelsFlags {
  ModelFlags models;
  std::string embedder;
  bool checks = false;
};

/// A model that --model or the configuration names, and whether it can be called.
struct ModelState {
  llm::ModelSpec spec;
  std::string from;  ///< Where the model was named.
  std::optional<Price> price;
  std::string trouble;  ///< Why the model cannot be asked; empty: it can.
  std::vector<std::string> warnings;
  std::optional<llm::ModelCheck> check;  ///< The result of --check.
};

/// How long --check waits for a server to answer with one token; the server may have to load the
/// model first.
constexpr std::chrono::minutes kCheckPatience{2};
/// The role of an embedding model, which ranks knowledge and writes nothing.
constexpr const char* kEmbedRole = "embed";

ModelState state_of(const llm::ModelSpec& spec, const std::string& from,
                    const llm::Surroundings& around) {
  ModelState state{spec, from, around.prices.find(spec), {}, llm::warnings_for(spec, around), {}};
  const bool has_key = around.keys.of(spec.provider).is_set();
  std::error_code ignored;
  if (spec.is_remote() && spec.has_own_base_url() && !has_key)
    state.trouble = std::string("set ") + llm::info_of(spec.provider).key_name;
  if (spec.provider == llm::Provider::Scripted && !std::filesystem::exists(spec.name, ignored))
    state.trouble = "no such file";
  return state;
}

/// The environment variables for the API keys of models, and whether each is set.
std::vector<std::pair<std::string, bool>> keys_of(const llm::Surroundings& around) {
  std::vector<std::pair<std::string, bool>> keys;
  for (const llm::ProviderInfo& info : llm::providers())
    if (*info.key_name != '\0')
      keys.emplace_back(info.key_name, around.keys.of(info.provider).is_set());
  return keys;
}

Json json_of(const ModelState& state) {
  Json object;
  object["role"] = state.spec.role;
  object["model"] = state.spec.text();
  object["from"] = state.from;
  object["base_url"] = state.spec.base_url;
  object["is_ready"] = state.trouble.empty();
  object["trouble"] = state.trouble;
  object["warnings"] = state.warnings;
  object["price"] = state.price ? encode_json(*state.price) : Json();
  if (const auto& check = state.check)
    object["check"] = {{"is_asked", check->is_asked},
                       {"is_good", check->is_good},
                       {"trouble", check->trouble ? Json(name_of(*check->trouble)) : Json()},
                       {"words", check->words},
                       {"took_ns", check->took_ns},
                       {"tokens", check->usage.total()},
                       {"usd", check->cost_usd ? Json(*check->cost_usd) : Json()}};
  return object;
}

std::string_view words_for(llm::Trouble trouble) {
  switch (trouble) {
    case llm::Trouble::Key:
      return "wrong key";
    case llm::Trouble::Name:
      return "unknown model";
    case llm::Trouble::Credit:
      return "the account has no credit or quota left";
    case llm::Trouble::Pace:
      return "the server was asked too often (rate limit)";
    case llm::Trouble::Request:
      return "the server rejects the request";
    case llm::Trouble::Server:
      return "the server reports an error of its own";
    case llm::Trouble::Network:
      break;
  }
  return "no answer";
}

/// The result of checking one model, with the cost of the check.
std::string words_of(const ModelState& state) {
  const llm::ModelCheck& check = *state.check;
  if (!check.is_good)
    return fmt::format("{}: {}", words_for(*check.trouble), sanitise_line(check.words));
  if (!check.is_asked) return check.words;
  std::string cost = "price unknown";
  if (check.cost_usd)
    cost = fmt::format("${:.6f} at prices of {}", *check.cost_usd, state.price->as_of);
  return fmt::format("ok: {} answered in {}, {} tokens, {}", sanitise_line(check.words),
                     format_ns(check.took_ns), check.usage.total(), cost);
}

/// Calls each model in turn and prints each result. The exit code is kDone only if all models
/// answer.
int check_all(std::vector<ModelState>& states, const llm::Surroundings& around, bool is_quiet) {
  int code = kDone;
  for (ModelState& state : states) {
    if (!is_quiet) {
      fmt::print("{:<10} {:<40} ", state.spec.role.empty() ? "proposer" : state.spec.role,
                 state.spec.text());
      std::fflush(stdout);
    }
    state.check = state.spec.role == kEmbedRole ? llm::check_embedder(state.spec, around)
                                                : llm::check_model(state.spec, around);
    if (!is_quiet) fmt::print("{}\n", words_of(state));
    if (state.check->is_good) continue;
    const llm::Trouble trouble = *state.check->trouble;
    const bool may_pass = trouble == llm::Trouble::Network || trouble == llm::Trouble::Server ||
                          trouble == llm::Trouble::Pace;
    if (!may_pass)
      code = kNotGood;
    else if (code == kDone)
      code = kEnvironment;
  }
  return code;
}

void print_json(const std::vector<ModelState>& states, const llm::Surroundings& around) {
  Json object;
  object["keys"] = Json::array();
  for (const auto& [name, is_present] : keys_of(around))
    object["keys"].push_back({{"name", name}, {"is_present", is_present}});
  object["models"] = Json::array();
  for (const ModelState& state : states) object["models"].push_back(json_of(state));
  object["prices"] = Json::array();
  for (const Price& price : around.prices.all()) object["prices"].push_back(encode_json(price));
  std::printf("%s\n", dump_json(object).c_str());
}

void print_text(const std::vector<ModelState>& states, const llm::Surroundings& around) {
  fmt::print("keys\n");
  for (const auto& [name, is_present] : keys_of(around))
    fmt::print("  {:<20} {}\n", name, is_present ? "present" : "not set");
  std::string from;
  for (const ModelState& state : states) {
    if (state.from != from) fmt::print("\nmodels of {}\n", state.from);
    from = state.from;
    fmt::print("  {:<10} {:<40} {}; price {}\n",
               state.spec.role.empty() ? "proposer" : state.spec.role, state.spec.text(),
               state.trouble.empty() ? "ready" : state.trouble, price_text(state.price));
    for (const std::string& warning : state.warnings)
      fmt::print("             note: {}\n", warning);
  }
  fmt::print(
      "\nprices, USD per million tokens (models/prices.yaml; change them with --data-dir)\n"
      "  {:<10} {:<26} {:>8} {:>8} {:>8}  {:<10}  {}\n",
      "provider", "model", "in", "cached", "out", "as of", "source");
  for (const Price& price : around.prices.all())
    fmt::print("  {:<10} {:<26} {:>8.3f} {:>8.3f} {:>8.3f}  {:<10}  {}\n", price.provider,
               price.model, price.prompt_usd, price.cached_usd, price.completion_usd, price.as_of,
               price.base_url.empty() ? price.source : price.base_url + ", " + price.source);
  fmt::print(
      "\nmodels that are not listed can be asked, too; manual:DIR and scripted:FILE need no key\n");
}

/// The models that the configuration file gives to kw optimize.
ModelFlags configured_models(const Global& global) {
  ModelFlags flags;
  if (!global.configured) return flags;
  flags.models = global.configured("optimize", "--model");
  const auto base_url = global.configured("optimize", "--base-url");
  if (!base_url.empty()) flags.base_url = base_url.back();
  return flags;
}

/// Embedding models, which rank the knowledge for prompts and write nothing.
Result<std::vector<llm::ModelSpec>> embedders(const std::vector<std::string>& names,
                                              const std::string& base_url) {
  std::vector<llm::ModelSpec> specs;
  for (const std::string& name : names) {
    specs.push_back(KW_TRY(as_input(llm::parse_model_spec(name, base_url))));
    specs.back().role = kEmbedRole;
  }
  return specs;
}

Result<int> list_models(const Global& global, const ModelsFlags& flags) {
  llm::Surroundings around;
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(session::open_prices(KW_TRY(session::open_data(global))));
  std::vector<ModelState> states;
  for (const llm::ModelSpec& spec : KW_TRY(flags.models.specs()))
    states.push_back(state_of(spec, "--model", around));
  std::vector<std::string> named;
  if (!flags.embedder.empty()) named.push_back(flags.embedder);
  for (const llm::ModelSpec& spec : KW_TRY(embedders(named, flags.models.base_url)))
    states.push_back(state_of(spec, "--embed", around));
  constexpr const char* kFile = "[optimize] in the configuration file";
  const ModelFlags configured = configured_models(global);
  for (const llm::ModelSpec& spec : KW_TRY(configured.specs()))
    states.push_back(state_of(spec, kFile, around));
  if (global.configured)
    named = global.configured("optimize", "--embed");
  else
    named.clear();
  for (const llm::ModelSpec& spec : KW_TRY(embedders(named, configured.base_url)))
    states.push_back(state_of(spec, kFile, around));
  if (!flags.checks) {
    if (global.json)
      print_json(states, around);
    else
      print_text(states, around);
    return static_cast<int>(kDone);
  }
  if (states.empty())
    return fail_input(
        "--check needs a model: give --model openai:NAME or another, or name a model in [optimize] "
        "of the configuration file",
        "--check");
  const auto http = net::make_curl_client();
  around.http = http.get();
  around.clock = &platform::real_clock();
  around.timeouts.first_byte = around.timeouts.idle = around.timeouts.total = kCheckPatience;
  const int code = check_all(states, around, global.json);
  if (global.json) print_json(states, around);
  return code;
}

}  // namespace

Command models_command() {
  auto flags = std::make_shared<ModelsFlags>();
  Command command;
  command.name = "models";
  command.summary = "List models, their prices and which keys are present";
  command.declare = [flags](Flags& f) {
    flags->models.declare(f);
    f.text("--embed", flags->embedder,
           "Embedding model (openai:NAME) to list or check, as for kw optimize");
    f.on_off("--check", flags->checks,
             "Ask each model for one token, to see whether key, name and address are right; about "
             "ten tokens each");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, list_models(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
