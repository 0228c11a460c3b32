// Parses flags about models.
// SPDX-License-Identifier: Apache-2.0
#include "cli/model_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <span>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "search/budget.h"

namespace kw::cli {
namespace {

/// Range of --max-tokens and --prompt-tokens; the upper bound exceeds any model's context.
constexpr WholeNumbers kTokensOfOne{1, 10'000'000};
/// Range of --tokens, the token budget of a run. The upper bound would cost a million dollars, so a
/// larger number is a typing mistake.
constexpr WholeNumbers kTokensOfAll{0, 1'000'000'000'000};

Result<double> parse_usd(const std::string& text) {
  std::string_view number = text;
  if (number.starts_with('$')) number.remove_prefix(1);
  double usd = 0;
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, usd);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(usd) || usd <= 0)
    return fail_input(ErrorCode::OutOfRange, About{"--usd"},
                      "--usd wants an amount above 0, such as 0.50, not '" + text + "'");
  return usd;
}

}  // namespace

void ModelFlags::declare(Flags& flags) {
  flags.texts("--model", models,
              "[ROLE=]" + join(llm::model_forms(llm::ProviderGroup::All), " | ") + ", repeatable");
  flags.text("--base-url", base_url, "Address of the models' server, if not the vendor's");
}

Result<std::vector<llm::ModelSpec>> ModelFlags::specs() const {
  std::vector<llm::ModelSpec> specs;
  for (const std::string& text : models)
    specs.push_back(KW_TRY(as_input(llm::parse_model_spec(text, base_url))));
  return specs;
}

HelpEntry model_entry(std::string_view purpose, std::string_view remark) {
  const auto forms = llm::model_forms(llm::ProviderGroup::Offered);
  const std::string others = join(std::span(forms).subspan(1), ", ");
  return {"--model", forms.front(), fmt::format("{}; or {}{}", purpose, others, remark)};
}

void SpendFlags::declare(Flags& flags) {
  flags.text("--usd", usd, "Most dollars that models may cost; needs known prices");
  flags.integer("--tokens", tokens, "Most tokens of prompts and replies; 0: no bound",
                kTokensOfAll);
  flags.integer("--calls", calls, "Most calls of models, also failed ones; 0: no bound");
}

Result<SpendLimits> SpendFlags::limits() const {
  SpendLimits limits;
  if (!usd.empty()) limits.usd = KW_TRY(parse_usd(usd));
  if (tokens > 0) limits.tokens = tokens;
  if (calls > 0) limits.calls = calls;
  return limits;
}

void LengthFlags::declare_reply(Flags& flags) {
  flags.integer("--max-tokens", reply_tokens, "Most tokens of one reply, thinking included",
                kTokensOfOne);
}

void LengthFlags::declare(Flags& flags) {
  declare_reply(flags);
  flags.integer("--prompt-tokens", prompt_tokens,
                "Most tokens of one prompt; prompt and reply must fit into the model's context",
                kTokensOfOne);
}

void AskingFlags::declare(Flags& flags) {
  flags.text("--temperature", temperature,
             "Sampling temperature of models, 0 to 2; default: the server's");
  flags.text("--effort", effort, "How much models think: low, medium or high; default: theirs");
  declare_timeout(flags);
}

void AskingFlags::declare_timeout(Flags& flags) {
  flags.text(
      "--model-timeout", timeout,
      "How long a model's server may be silent, before its answer and within, e.g. 20m for a "
      "slow one; default 5m");
}

Result<ReplySettings> AskingFlags::reply(std::int64_t max_tokens) const {
  ReplySettings reply{.max_tokens = max_tokens, .effort = effort};
  static const std::vector<std::string> efforts{"low", "medium", "high"};
  if (!effort.empty() && !contains(efforts, effort))
    return fail_input(
        ErrorCode::BadInput, About{"--effort " + with_nearest(effort, efforts)},
        "--effort is low, medium or high, not '" + effort + "'" + suggestion(effort, efforts));
  if (temperature.empty()) return reply;
  double value = 0;
  const char* end = temperature.data() + temperature.size();
  const auto parsed = std::from_chars(temperature.data(), end, value);
  constexpr double kHottest = 2;  // OpenAI's bound; Anthropic's is 1
  if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0 && value <= kHottest))
    return fail_input(ErrorCode::OutOfRange, About{"--temperature"},
                      "--temperature is a number from 0 to 2, not '" + temperature + "'");
  reply.temperature = value;
  return reply;
}

Result<std::int64_t> AskingFlags::timeout_ns() const {
  if (timeout.empty()) return 0;
  auto ns = search::parse_duration(timeout);
  if (!ns)
    return fail_input(ns.error().code, About{"--model-timeout " + ns.error().about},
                      "--model-timeout: " + ns.error().what);
  return *ns;
}

void PaceFlags::declare(Flags& flags) {
  flags.integer("--requests-per-minute", requests_per_minute,
                "Most requests a minute to each model behind an address; 0: no bound");
  flags.integer("--tokens-per-minute", tokens_per_minute,
                "Most tokens a minute to each model behind an address; 0: no bound", kTokensOfAll);
  flags.on_off("--cache-replies", cache_replies,
               "Answer requests that this workspace has sent before from runs/replies/");
}

Result<llm::RateLimits> PaceFlags::rates() const {
  return llm::RateLimits{requests_per_minute, tokens_per_minute};
}

std::string price_text(const std::optional<Price>& price) {
  if (!price) return "unknown";
  if (price->prompt_usd == 0 && price->completion_usd == 0) return "free";
  return fmt::format("${:g} in, ${:g} cached, ${:g} out as of {}", price->prompt_usd,
                     price->cached_usd, price->completion_usd, price->as_of);
}

}  // namespace kw::cli
