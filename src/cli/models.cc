// kw models: which models can be called now, what they cost, and which keys are set.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/model_flags.h"
#include "record/codec.h"
#include "session/model_list.h"

namespace kw::cli {
namespace {

struct ModelsFlags {
  ModelFlags models;
  std::string embedder;
  bool checks = false;
};

using session::ModelList;
using session::ModelState;

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

std::string_view words_for(session::Trouble trouble) {
  switch (trouble) {
    case session::Trouble::Key:
      return "wrong key";
    case session::Trouble::Name:
      return "unknown model";
    case session::Trouble::Credit:
      return "the account has no credit or quota left";
    case session::Trouble::Pace:
      return "the server was asked too often (rate limit)";
    case session::Trouble::Request:
      return "the server rejects the request";
    case session::Trouble::Server:
      return "the server reports an error of its own";
    case session::Trouble::Network:
      break;
  }
  return "no answer";
}

/// The result of checking one model, with the cost of the check.
std::string words_of(const ModelState& state) {
  const session::ModelCheck& check = *state.check;
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
Result<int> check_all(const Global& global, ModelList& list) {
  int code = kDone;
  const auto before = [&](const ModelState& state) {
    if (global.json) return;
    fmt::print("{:<10} {:<40} ", state.spec.role.empty() ? "proposer" : state.spec.role,
               state.spec.text());
    std::fflush(stdout);
  };
  const auto after = [&](const ModelState& state) {
    if (!global.json) fmt::print("{}\n", words_of(state));
    if (state.check->is_good) return;
    const session::Trouble trouble = *state.check->trouble;
    const bool may_pass = trouble == session::Trouble::Network ||
                          trouble == session::Trouble::Server || trouble == session::Trouble::Pace;
    if (!may_pass)
      code = kNotGood;
    else if (code == kDone)
      code = kEnvironment;
  };
  KW_TRY(session::check_models(global, list, before, after));
  return code;
}

void print_json(const ModelList& list) {
  Json object;
  object["keys"] = Json::array();
  for (const auto& [name, is_present] : list.keys)
    object["keys"].push_back({{"name", name}, {"is_present", is_present}});
  object["models"] = Json::array();
  for (const ModelState& state : list.models) object["models"].push_back(json_of(state));
  object["prices"] = Json::array();
  for (const Price& price : list.prices) object["prices"].push_back(encode_json(price));
  std::printf("%s\n", dump_json(object).c_str());
}

void print_text(const ModelList& list) {
  fmt::print("keys\n");
  for (const auto& [name, is_present] : list.keys)
    fmt::print("  {:<20} {}\n", name, is_present ? "present" : "not set");
  std::string from;
  for (const ModelState& state : list.models) {
    if (state.from != from) fmt::print("\nmodels of {}\n", state.from);
    from = state.from;
    fmt::print("  {:<10} {:<40} {}; price {}\n",
               state.spec.role.empty() ? "proposer" : state.spec.role, state.spec.text(),
               state.trouble.empty() ? "ready" : state.trouble, price_text(state.price));
    for (const std::string& warning : state.warnings)
      fmt::print("             note: {}\n", warning);
  }
  std::size_t widest = 10;
  for (const Price& price : list.prices) widest = std::max(widest, price.provider.size());
  fmt::print(
      "\nprices, USD per million tokens (models/prices.yaml; change them with --data-dir)\n"
      "  {:<{}} {:<26} {:>8} {:>8} {:>8}  {:<10}  {}\n",
      "provider", widest, "model", "in", "cached", "out", "as of", "source");
  for (const Price& price : list.prices)
    fmt::print("  {:<{}} {:<26} {:>8.3f} {:>8.3f} {:>8.3f}  {:<10}  {}\n", price.provider, widest,
               price.model, price.prompt_usd, price.cached_usd, price.completion_usd, price.as_of,
               price.base_url.empty() ? price.source : price.base_url + ", " + price.source);
  fmt::print("\nmodels that are not listed can be asked, too; {} need no key\n",
             join(llm::model_forms(llm::ProviderGroup::Keyless), " and "));
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

/// The models that the flags and the configuration name.
Result<std::vector<session::NamedModels>> named_models(const Global& global,
                                                       const ModelsFlags& flags) {
  constexpr const char* kFile = "[optimize] in the configuration file";
  std::vector<session::NamedModels> named;
  const auto add = [&named](const char* from, std::vector<llm::ModelSpec> specs) {
    named.push_back({from, std::move(specs)});
  };
  add("--model", KW_TRY(flags.models.specs()));
  std::vector<std::string> embedders;
  if (!flags.embedder.empty()) embedders.push_back(flags.embedder);
  add("--embed", KW_TRY(session::embedding_models(embedders, flags.models.base_url)));
  const ModelFlags configured = configured_models(global);
  add(kFile, KW_TRY(configured.specs()));
  embedders =
      global.configured ? global.configured("optimize", "--embed") : std::vector<std::string>();
  add(kFile, KW_TRY(session::embedding_models(embedders, configured.base_url)));
  return named;
}

Result<int> list_models(const Global& global, const ModelsFlags& flags) {
  ModelList list = KW_TRY(session::list_models(global, KW_TRY(named_models(global, flags))));
  if (!flags.checks) {
    if (global.json)
      print_json(list);
    else
      print_text(list);
    return static_cast<int>(kDone);
  }
  if (list.models.empty())
    return fail_input(ErrorCode::Missing, About{"--model"},
                      "--check needs a model: give --model " +
                          llm::model_forms(llm::ProviderGroup::Offered).front() +
                          " or another, or name a model in [optimize] of the configuration file",
                      "--check");
  const int code = KW_TRY(check_all(global, list));
  if (global.json) print_json(list);
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
           "Embedding model (" + join(llm::model_forms(llm::ProviderGroup::Embedding), " | ") +
               ") to list or check, as for kw optimize");
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
