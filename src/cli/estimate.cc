// kw estimate: what a run with models may cost, before it starts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
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
#include "search/strategy.h"
#include "session/model_access.h"
#include "session/roles.h"
#include "session/tasks.h"

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

/// Likely tokens of a reply of a few sentences: a plan, a diagnosis, or a judge's reading of an
/// attempt.
constexpr std::int64_t kWordsTokens = 300;
/// Bytes added to a prompt that is sent a second time because the reply could not be parsed: the
/// first reply and the reason.
constexpr std::size_t kAskedAgainBytes = 5000;
/// The role of a model that writes kernels; its calls are already counted, one or more for each
/// attempt.
constexpr std::string_view kCoderRole = "coder";
/// The role that is called only with --guide llm.
constexpr std::string_view kGuideRole = "guide";

struct Line {
  llm::ModelSpec spec;
  std::optional<Price> price;
  std::int64_t calls = 0;
  llm::CostEstimate estimate;
};

struct Estimate {
  std::size_t prompt_bytes = 0;
  std::int64_t longest_prompt_tokens = 0;  ///< Upper bound on the tokens of a prompt.
  std::vector<Line> lines;
  llm::CostEstimate total;
};

/// Upper bound on a prompt's bytes, unless the task and the parent kernel alone are longer.
std::size_t longest_prompt(const EstimateFlags& flags) {
  return static_cast<std::size_t>(static_cast<double>(flags.length.prompt_tokens) *
                                  llm::kUsualBytesPerToken);
}

llm::ExpectedCalls writing_plan(const EstimateFlags& flags, std::size_t prompt_bytes) {
  llm::ExpectedCalls plan;
  plan.calls = plan.worst_calls = flags.attempts * flags.shortlist;
  plan.prompt_bytes = prompt_bytes;
  plan.worst_prompt_bytes = longest_prompt(flags);
  plan.max_tokens = flags.length.reply_tokens;
  return plan;
}

/// The calls of a role other than the writer: one for each attempt, and a second where the reply
/// cannot be parsed.
llm::ExpectedCalls role_plan(const EstimateFlags& flags, std::size_t prompt_bytes) {
  llm::ExpectedCalls plan = writing_plan(flags, prompt_bytes);
  plan.calls = flags.attempts;
  plan.worst_calls = 2 * flags.attempts;
  plan.worst_prompt_bytes += kAskedAgainBytes;
  plan.likely_reply_tokens = kWordsTokens;
  plan.max_tokens = ReplySettings{.max_tokens = plan.max_tokens}.for_words().max_tokens;
  return plan;
}

/// How many of the strategy's roles have no model of their own, so that the writing models take
/// them.
std::int64_t roles_of_writers(const search::StrategyInfo& strategy,
                              const std::vector<llm::ModelSpec>& specs) {
  std::int64_t count = 0;
  for (const std::string_view role : strategy.roles) {
    const auto plays = [&](const llm::ModelSpec& spec) { return spec.role == role; };
    count += role != kCoderRole && role != kGuideRole && std::ranges::none_of(specs, plays);
  }
  return count;
}

/// The estimate: one line for each model, and the sum.
Result<Estimate> estimate_of(const EstimateFlags& flags, const llm::PriceTable& prices,
                             std::size_t prompt_bytes) {
  const auto specs = KW_TRY(flags.models.specs());
  const auto* strategy = KW_TRY(search::find_strategy(flags.strategy));
  if (!strategy->is_writing)
    return fail_input("strategy '" + flags.strategy + "' asks no model, so its runs cost nothing");
  Estimate all;
  all.prompt_bytes = prompt_bytes;
  llm::ExpectedCalls one = writing_plan(flags, prompt_bytes);
  one.worst_calls = 1;
  all.longest_prompt_tokens = llm::estimate_calls(one, {}).worst.prompt_tokens;
  std::vector<llm::CostEstimate> writers;
  llm::CostEstimate roles{{}, {}, 0.0, 0.0};
  const std::int64_t played = roles_of_writers(*strategy, specs);
  const bool has_coder = std::ranges::find(specs, kCoderRole, &llm::ModelSpec::role) != specs.end();
  for (const llm::ModelSpec& spec : specs) {
    Line line{spec, prices.find(spec), 0, {}};
    KW_TRY(session::check_role(*strategy, spec));
    const llm::ExpectedCalls writing = writing_plan(flags, prompt_bytes);
    const llm::ExpectedCalls role = role_plan(flags, prompt_bytes);
    const bool writes = spec.role == kCoderRole || (spec.role.empty() && !has_coder);
    line.estimate = llm::estimate_calls(writes ? writing : role, line.price);
    line.calls = writes ? writing.calls : role.calls;
    if (spec.role.empty()) {
      const std::int64_t more = played - (writes ? 0 : 1);
      if (more < 0) line.estimate = llm::estimate_calls({.calls = 0, .worst_calls = 0}, line.price);
      line.calls += more * role.calls;
      for (std::int64_t i = 0; i < more; ++i)
        line.estimate = llm::sum_of(line.estimate, llm::estimate_calls(role, line.price));
      writers.push_back(line.estimate);
    } else {
      roles = llm::sum_of(roles, line.estimate);
    }
    all.lines.push_back(std::move(line));
  }
  if (writers.empty())
    return fail_input(
        "a model with a role (--model ROLE=NAME) writes no kernels: also give a --model without a "
        "role");
  all.total = llm::sum_of(llm::one_of(writers), roles);
  return all;
}

Json json_of(const llm::CostEstimate& estimate) {
  return {{"likely", encode_json(estimate.likely)},
          {"worst", encode_json(estimate.worst)},
          {"likely_usd", estimate.likely_usd ? Json(*estimate.likely_usd) : Json()},
          {"worst_usd", estimate.worst_usd ? Json(*estimate.worst_usd) : Json()}};
}

Json json_of(const Line& line) {
  Json object = json_of(line.estimate);
  object["model"] = line.spec.text();
  object["role"] = line.spec.role;
  object["calls"] = line.calls;
  object["price"] = line.price ? encode_json(*line.price) : Json();
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

void print_estimate(const EstimateFlags& flags, const Estimate& all) {
  fmt::print(
      "{}: {} attempts of {}, first prompt of {} ({} tokens), none above {} (at worst {} tokens), "
      "replies of at most {} tokens\n\n",
      flags.task, flags.attempts, flags.strategy, format_bytes(all.prompt_bytes),
      llm::likely_tokens(all.prompt_bytes),
      format_bytes(std::max(longest_prompt(flags), all.prompt_bytes)), all.longest_prompt_tokens,
      flags.length.reply_tokens);
  fmt::print("  {:<44} {:>6} {:>14} {:>14} {:>10} {:>10}\n", "model", "calls", "tokens, likely",
             "worst", "likely", "worst");
  int writers = 0;
  for (const Line& line : all.lines) {
    writers += line.spec.role.empty() ? 1 : 0;
    const std::string role = line.spec.role.empty() ? "" : line.spec.role + "=";
    print_row(role + line.spec.text(), std::to_string(line.calls), line.estimate);
  }
  print_row("the run", "", all.total);
  if (writers > 1)
    fmt::print("\neach attempt is written by one of the {} models that write\n", writers);
  fmt::print(
      "\n--usd, --tokens or --calls bound the cost of a run; calls that fail and are retried come "
      "on top of this estimate\n");
  std::vector<Price> priced;
  for (const Line& line : all.lines)
    if (line.price) priced.push_back(*line.price);
  if (const std::string days = report::price_days(priced); !days.empty())
    fmt::print(
        "dollars are computed at {}; check these before you trust the figures (kw models lists "
        "their sources)\n",
        days);
  if (!flags.asking.effort.empty())
    fmt::print(
        "note: likely replies are counted without the models' thinking, which the bound on replies "
        "includes\n");
  for (const Line& line : all.lines)
    if (!line.price) fmt::print("note: {}: price unknown\n", line.spec.text());
}

/// Bytes of the first prompt of a run with these flags.
Result<std::size_t> first_prompt_bytes(const Global& global, const EstimateFlags& flags) {
  if (flags.prompt_bytes > 0) return static_cast<std::size_t>(flags.prompt_bytes);
  FirstPromptFlags first;
  first.run.task = flags.task;
  first.run.writing.length = flags.length;
  const auto prompt = KW_TRY(session::build_first_prompt(global, KW_TRY(request_of(first)))).prompt;
  return prompt.system.size() + prompt.user.size();
}

Result<int> estimate(const Global& global, const EstimateFlags& flags) {
  if (flags.models.models.empty())
    return fail_input("kw estimate needs a model: give --model openai:NAME or another", "estimate");
  KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  KW_TRY(flags.asking.timeout_ns());
  const llm::PriceTable prices = KW_TRY(session::open_prices(KW_TRY(session::open_data(global))));
  const Estimate all =
      KW_TRY(estimate_of(flags, prices, KW_TRY(first_prompt_bytes(global, flags))));
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
  for (const Line& line : all.lines) object["models"].push_back(json_of(line));
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
