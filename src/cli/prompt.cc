// kw prompt: the exact prompt that a model would receive for a task, or received for an attempt.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/first_prompt.h"
#include "llm/spec.h"
#include "record/codec.h"
#include "session/exchanges.h"

namespace kw::cli {
namespace {

struct PromptFlags {
  FirstPromptFlags first;
  std::int64_t attempt = 0;
};

/// The settings of a reply as text for people.
std::string words_of(const ReplySettings& reply) {
  std::string words = fmt::format("for a reply of at most {}", reply.max_tokens);
  if (reply.temperature) words += fmt::format(", at temperature {:g}", *reply.temperature);
  if (!reply.effort.empty()) words += fmt::format(", with {} effort", reply.effort);
  return words;
}

Result<int> show_prompt(const Global& global, const FirstPromptFlags& flags) {
  const session::FirstPrompt first =
      KW_TRY(session::build_first_prompt(global, KW_TRY(request_of(flags))));
  const auto& prompt = first.prompt;
  if (global.json) {
    Json object = {
        {"task", flags.run.task},     {"errand", first.errand},
        {"role", first.role},         {"model", first.model},
        {"baseline", first.baseline}, {"baseline_ns", first.baseline_ns},
        {"system", prompt.system},    {"user", prompt.user},
        {"tokens", prompt.tokens},    {"bytes", prompt.system.size() + prompt.user.size()},
        {"dropped", prompt.dropped},  {"is_over_budget", prompt.is_over_budget},
        {"unknown", first.unknown}};
    object.update(encode_json(first.reply));
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (!prompt.system.empty()) fmt::print("=== system ===\n{}\n", prompt.system);
  fmt::print("=== user ===\n{}", prompt.user);
  std::fflush(stdout);
  fmt::print(stderr, "kw: about {} tokens, {}\n", prompt.tokens, words_of(first.reply));
  if (!first.role.empty())
    fmt::print(stderr, "kw: the first prompt of this strategy goes to its {}\n", first.role);
  for (const std::string& dropped : prompt.dropped)
    fmt::print(stderr, "kw: left out for --prompt-tokens: {}\n", dropped);
  for (const std::string& unknown : first.unknown) fmt::print(stderr, "kw: {}\n", unknown);
  return kDone;
}

void print_exchange(const Exchange& exchange) {
  for (const ChatMessage& message : exchange.request.messages)
    fmt::print("=== {} ===\n{}\n", name_of(message.role), message.text);
  fmt::print("=== reply of {} ===\n{}\n", exchange.model, exchange.reply.text);
  std::fflush(stdout);
  const ChatRequest& asked = exchange.request;
  fmt::print(stderr, "kw: asked {}\n",
             words_of({asked.max_tokens, asked.temperature, asked.effort}));
}

/// Shows the attempt's stored exchanges with models, even if they led to no kernel.
Result<int> show_exchanges(const Global& global, const PromptFlags& flags) {
  const auto [run, exchanges] =
      KW_TRY(session::exchanges_of(global, flags.first.run.task, static_cast<int>(flags.attempt)));
  if (!global.json) {
    for (const Exchange& exchange : exchanges) print_exchange(exchange);
    return kDone;
  }
  Json object = {{"run", run}, {"attempt", flags.attempt}, {"exchanges", Json::array()}};
  for (const Exchange& exchange : exchanges) object["exchanges"].push_back(encode_json(exchange));
  std::printf("%s\n", dump_json(object).c_str());
  return kDone;
}

}  // namespace

Command prompt_command() {
  auto flags = std::make_shared<PromptFlags>();
  Command command;
  command.name = "prompt";
  command.summary =
      "Print what kw optimize with these flags would send a model first, or sent for an attempt";
  command.declare = [flags](Flags& f) {
    FirstPromptFlags& first = flags->first;
    first.run.declare(f);
    f.integer("--attempt", flags->attempt,
              "TASK is the name of a run: show the prompts sent for this attempt, and the replies",
              {1});
    f.text("--errand", first.errand,
           "write | repair | rethink | improve; default: what the strategy asks for first");
    f.text("--parent", first.parent, "Kernel to repair or improve; default: the reference");
    f.on_off("--own-playbook", first.own_playbook,
             "Also show the playbook's kernels for this task as examples");
  };
  command.screen = {
      {"What is shown",
       {{"TASK", "", "folder or shipped task; with --attempt a run"},
        {"--attempt", "N", "prompts and replies of this attempt of a run"},
        {"--errand", "improve", "write, repair, rethink or improve"},
        {"--parent", "FILE", "kernel to repair or improve"},
        {"--own-playbook", "", "also show the playbook's kernels for this task"}},
       {"--target", "--arch", "--baseline"}},
      {"The run",
       {{"--model", llm::model_forms(llm::ProviderGroup::Offered).front(),
         "model to build the prompt for; the model is not asked"},
        {"--strategy", "NAME", "strategy that asks the model; default refine"},
        {"--hint", "WORDS", "hint for the model; --constraint: what must hold"},
        {"--feedback", "LEVEL", "what a model is told: none, errors, findings, profile"},
        {"--prompt-tokens", "N", "bound on the prompt"}},
       {"--constraint"}}};
  command.run = [flags](const Global& global) {
    return end_command(global, flags->attempt > 0 ? show_exchanges(global, *flags)
                                                  : show_prompt(global, flags->first));
  };
  return command;
}

}  // namespace kw::cli
