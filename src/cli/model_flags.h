// ModelFlags: --model and --base-url, for all commands that call models or show facts about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "llm/prices.h"
#include "llm/rate_limit.h"
#include "llm/spec.h"

namespace kw::cli {

struct ModelFlags {
  std::vector<std::string> models;
  std::string base_url;

  void declare(Flags& flags);
  /// The models that the flags name, in the order of the command line.
  Result<std::vector<llm::ModelSpec>> specs() const;
};

/// The line of --model on the first screen of a command's help, which names the providers:
/// "model that writes; or anthropic:NAME, manual:DIR; repeatable".
HelpEntry model_entry(std::string_view purpose, std::string_view remark = {});

/// --usd, --tokens and --calls: upper bounds on what a command spends on models.
struct SpendFlags {
  std::string usd;
  std::int64_t tokens = 0;
  std::int64_t calls = 0;

  void declare(Flags& flags);
  bool any() const { return !usd.empty() || tokens != 0 || calls != 0; }
  Result<SpendLimits> limits() const;
};

/// --max-tokens and --prompt-tokens: upper bounds on the length of one reply and of one prompt.
struct LengthFlags {
  std::int64_t reply_tokens = kReplyTokens;
  std::int64_t prompt_tokens = kPromptTokens;

  /// Declares --max-tokens and --prompt-tokens.
  void declare(Flags& flags);
  /// Declares --max-tokens alone, for commands whose prompts have no bound.
  void declare_reply(Flags& flags);
  bool any() const { return reply_tokens != kReplyTokens || prompt_tokens != kPromptTokens; }
};

/// The sampling settings of models, and how long the program waits for their servers.
struct AskingFlags {
  std::string temperature{};
  std::string effort{};
  std::string timeout{};

  void declare(Flags& flags);
  /// Declares only --model-timeout, for commands that continue a run with its stored settings.
  void declare_timeout(Flags& flags);
  bool any() const { return !temperature.empty() || !effort.empty() || !timeout.empty(); }
  /// The reply settings that the flags give, with a reply of at most `max_tokens`.
  Result<ReplySettings> reply(std::int64_t max_tokens) const;
  /// --model-timeout in nanoseconds; 0: the default timeouts.
  Result<std::int64_t> timeout_ns() const;
};

/// How often a command may call its models, and whether stored replies answer equal requests.
struct PaceFlags {
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
  bool cache_replies = false;

  void declare(Flags& flags);
  bool any() const { return requests_per_minute != 0 || tokens_per_minute != 0 || cache_replies; }
  Result<llm::RateLimits> rates() const;
};

/// The price per million tokens for people: "$2.00 in, $0.50 cached, $8.00 out as of 2026-03-21";
/// "unknown" without a price.
std::string price_text(const std::optional<Price>& price);

}  // namespace kw::cli
