// kw estimate: what a run with a model may cost, before it starts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/model_flags.h"
#include "cli/session.h"
#include "llm/estimate.h"
#include "memory/shipped_task.h"
#include "record/codec.h"
#include "task/load.h"

namespace kw::cli {
namespace {

struct EstimateFlags {
  std::string task;
  ModelFlags models;
  std::int64_t attempts = 20;
  std::int64_t max_tokens = 16384;
  std::int64_t prompt_bytes = 0;
};

/// Rules, few-shots, the parent's source and its findings: a prompt beside the task's own texts.
constexpr std::size_t kBytesBesideTask = 16 << 10;

/// Without a prompt builder: the task's texts and a usual frame around them.
Result<std::size_t> rough_prompt_bytes(const Global& global, const std::string& name) {
  const memory::DataFiles data = KW_TRY(open_data(global));
  KW_TRY(open_task(global, data, name));
  std::error_code ignored;
  const auto texts = std::filesystem::is_directory(name, ignored)
                         ? KW_TRY(task::read_task_files(name)).texts
                         : KW_TRY(memory::shipped_task(data, name)).texts;
  std::size_t bytes = kBytesBesideTask;
  for (const auto& [path, text] : texts)
    if (path == "task.yaml" || path == "spec.md" || path == "reference.cpp") bytes += text.size();
  return bytes;
}

struct Line {
  llm::ModelSpec spec;
  std::optional<Price> price;
  llm::RunEstimate estimate;
};

Json json_of(const Line& line) {
  Json object;
  object["model"] = line.spec.text();
  object["likely"] = encode_json(line.estimate.likely);
  object["worst"] = encode_json(line.estimate.worst);
  object["likely_usd"] = line.estimate.likely_usd ? Json(*line.estimate.likely_usd) : Json();
  object["worst_usd"] = line.estimate.worst_usd ? Json(*line.estimate.worst_usd) : Json();
  object["price"] = line.price ? encode_json(*line.price) : Json();
  return object;
}

std::string dollars(const std::optional<double>& usd) {
  return usd ? fmt::format("${:.2f}", *usd) : "unknown";
}

void print_lines(const EstimateFlags& flags, std::size_t prompt_bytes,
                 const std::vector<Line>& lines) {
  fmt::print("{}: {} calls, prompts of about {} ({} tokens), replies of at most {} tokens\n\n",
             flags.task, flags.attempts, format_bytes(prompt_bytes),
             llm::likely_tokens(prompt_bytes), flags.max_tokens);
  fmt::print("  {:<40} {:>14} {:>14} {:>10} {:>10}\n", "model", "tokens, likely", "worst", "likely",
             "worst");
  for (const Line& line : lines)
    fmt::print("  {:<40} {:>14} {:>14} {:>10} {:>10}\n", line.spec.text(),
               line.estimate.likely.total(), line.estimate.worst.total(),
               dollars(line.estimate.likely_usd), dollars(line.estimate.worst_usd));
  fmt::print(
      "\nbound it with --usd, --tokens or --calls; calls that fail and are retried come on top\n");
  for (const Line& line : lines)
    if (!line.price) fmt::print("note: {}: price unknown\n", line.spec.text());
}

Result<int> estimate(const Global& global, const EstimateFlags& flags, const PromptSizer& sizer) {
  const auto specs = KW_TRY(flags.models.specs());
  if (specs.empty()) return fail("which model? give --model openai:NAME or another", "estimate");
  if (flags.attempts < 1 || flags.max_tokens < 1 || flags.prompt_bytes < 0)
    return fail("--attempts, --max-tokens and --prompt-bytes are whole numbers above 0",
                "estimate");
  const llm::PriceTable prices = KW_TRY(open_prices(KW_TRY(open_data(global))));
  llm::RunPlan plan;
  plan.prompt_bytes = flags.prompt_bytes > 0 ? static_cast<std::size_t>(flags.prompt_bytes)
                                             : KW_TRY(sizer(global, flags.task));
  plan.attempts = flags.attempts;
  plan.max_tokens = flags.max_tokens;
  std::vector<Line> lines;
  for (const llm::ModelSpec& spec : specs) {
    const auto price = prices.find(spec);
    lines.push_back({spec, price, llm::estimate_run(plan, price)});
  }
  if (!global.json) {
    print_lines(flags, plan.prompt_bytes, lines);
    return kDone;
  }
  Json object = {{"task", flags.task},
                 {"attempts", flags.attempts},
                 {"prompt_bytes", plan.prompt_bytes},
                 {"max_tokens", flags.max_tokens},
                 {"models", Json::array()}};
  for (const Line& line : lines) object["models"].push_back(json_of(line));
  std::printf("%s\n", dump_json(object).c_str());
  return kDone;
}

}  // namespace

Command estimate_command(PromptSizer sizer) {
  auto flags = std::make_shared<EstimateFlags>();
  if (!sizer) sizer = rough_prompt_bytes;
  Command command;
  command.name = "estimate";
  command.summary = "What a run with a model may cost, before it starts";
  command.declare = [flags](Flags& f) {
    f.positional("task", flags->task, "Task folder, or the name of a shipped task");
    flags->models.declare(f);
    f.integer("--attempts", flags->attempts, "Model calls, repairs included");
    f.integer("--max-tokens", flags->max_tokens, "Bound on one reply, thinking included");
    f.integer("--prompt-bytes", flags->prompt_bytes, "Size of one prompt; 0: from the task");
  };
  command.run = [flags, sizer](const Global& global) {
    return end_command(global, estimate(global, *flags, sizer));
  };
  return command;
}

}  // namespace kw::cli
