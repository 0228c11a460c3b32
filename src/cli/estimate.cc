// kw estimate: what a run with models may cost, before it starts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/first_prompt.h"
#include "cli/model_flags.h"
#include "llm/estimate.h"
#include "record/codec.h"
#include "report/run_folder.h"
#include "session/estimate.h"

namespace kw::cli {
namespace {

struct EstimateFlags {
  std::string task;
  ModelFlags models;
  std::string strategy = "refine";
  std::int64_t attempts = 20;
  std::int64_t shortlist = 1;
  LengthFlags length;
  AskingFlags asking;
  std::int64_t prompt_bytes = 0;
};

Json json_of(const llm::CostEstimate& estimate) {
  return {{"likely", encode_json(estimate.likely)},
          {"worst", encode_json(estimate.worst)},
          {"likely_usd", estimate.likely_usd ? Json(*estimate.likely_usd) : Json()},
          {"worst_usd", estimate.worst_usd ? Json(*estimate.worst_usd) : Json()}};
}

Json json_of(const session::ModelEstimate& model) {
  Json object = json_of(model.cost);
  object["model"] = model.spec.text();
  object["role"] = model.spec.role;
  object["calls"] = model.calls;
  object["price"] = model.price ? encode_json(*model.price) : Json();
  return object;
}

std::string dollars(const std::optional<double>& usd) {
  return usd ? fmt::format("${:.2f}", *usd) : "unknown";
}

void print_row(const std::string& model, const std::string& calls,
               const llm::CostEstimate& estimate) {
  fmt::print("  {:<44} {:>6} {:>14} {:>14} {:>10} {:>10}\n", model, calls, estimate.likely.total(),
             estimate.worst.total(), dollars(estimate.likely_usd), dollars(estimate.worst_usd));
}

void print_estimate(const EstimateFlags& flags, const session::Estimate& all) {
  fmt::print(
      "{}: {} attempts of {}, first prompt of {} ({} tokens), none above {} (at worst {} tokens), "
      "replies of at most {} tokens\n\n",
      flags.task, flags.attempts, flags.strategy, format_bytes(all.prompt_bytes),
      llm::likely_tokens(all.prompt_bytes), format_bytes(all.longest_prompt_bytes),
      all.longest_prompt_tokens, flags.length.reply_tokens);
  fmt::print("  {:<44} {:>6} {:>14} {:>14} {:>10} {:>10}\n", "model", "calls", "tokens, likely",
             "worst", "likely", "worst");
  int writers = 0;
  for (const session::ModelEstimate& model : all.models) {
    writers += model.spec.role.empty() ? 1 : 0;
    const std::string role = model.spec.role.empty() ? "" : model.spec.role + "=";
    print_row(role + model.spec.text(), std::to_string(model.calls), model.cost);
  }
  print_row("the run", "", all.total);
  if (writers > 1)
    fmt::print("\neach attempt is written by one of the {} models that write\n", writers);
  fmt::print(
      "\n--usd, --tokens or --calls bound the cost of a run; calls that fail and are retried come "
      "on top of this estimate\n");
  std::vector<Price> priced;
  for (const session::ModelEstimate& model : all.models)
    if (model.price) priced.push_back(*model.price);
  if (const std::string days = report::price_days(priced); !days.empty())
    fmt::print(
        "dollars are computed at {}; check these before you trust the figures (kw models lists "
        "their sources)\n",
        days);
  if (!flags.asking.effort.empty())
    fmt::print(
        "note: likely replies are counted without the models' thinking, which the bound on replies "
        "includes\n");
  for (const session::ModelEstimate& model : all.models)
    if (!model.price) fmt::print("note: {}: price unknown\n", model.spec.text());
}

/// The request that the flags make.
Result<session::EstimateRequest> estimate_request(const EstimateFlags& flags) {
  session::EstimateRequest request{.strategy = flags.strategy,
                                   .models = {},
                                   .attempts = flags.attempts,
                                   .shortlist = flags.shortlist,
                                   .reply_tokens = flags.length.reply_tokens,
                                   .prompt_tokens = flags.length.prompt_tokens,
                                   .prompt_bytes = static_cast<std::size_t>(flags.prompt_bytes)};
  request.models = KW_TRY(flags.models.specs());
  if (request.prompt_bytes > 0) return request;
  FirstPromptFlags first;
  first.run.task = flags.task;
  first.run.writing.length = flags.length;
  request.first = KW_TRY(request_of(first));
  return request;
}

Result<int> estimate(const Global& global, const EstimateFlags& flags) {
  if (flags.models.models.empty())
    return fail_input(ErrorCode::Missing, About{"--model"},
                      "kw estimate needs a model: give --model " +
                          llm::model_forms(llm::ProviderGroup::Offered).front() + " or another",
                      "estimate");
  KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  (void)KW_TRY(flags.asking.timeout_ns());
  const session::Estimate all =
      KW_TRY(session::estimate_cost(global, KW_TRY(estimate_request(flags))));
  if (!global.json) {
    print_estimate(flags, all);
    return kDone;
  }
  Json object = {{"task", flags.task},
                 {"strategy", flags.strategy},
                 {"attempts", flags.attempts},
                 {"prompt_bytes", all.prompt_bytes},
                 {"max_tokens", flags.length.reply_tokens},
                 {"prompt_tokens", flags.length.prompt_tokens},
                 {"models", Json::array()},
                 {"total", json_of(all.total)}};
  for (const session::ModelEstimate& model : all.models) object["models"].push_back(json_of(model));
  std::printf("%s\n", dump_json(object).c_str());
  return kDone;
}

}  // namespace

Command estimate_command() {
  auto flags = std::make_shared<EstimateFlags>();
  Command command;
  command.name = "estimate";
  command.summary = "Estimate what a run with models may cost before it starts";
  command.declare = [flags](Flags& f) {
    f.positional("task", flags->task, "Task folder, or the name of a shipped task");
    flags->models.declare(f);
    f.text("--strategy", flags->strategy,
           "Strategy of the run; some ask several models for an attempt");
    f.integer("--attempts", flags->attempts, "Attempts that are written, repairs included", {1});
    f.integer("--shortlist", flags->shortlist, "Kernels written for each attempt",
              {1, kMostShortlist});
    flags->length.declare(f);
    flags->asking.declare(f);
    f.integer("--prompt-bytes", flags->prompt_bytes,
              "Bytes of the first prompt; 0: as many as the task's first prompt has");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, estimate(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
