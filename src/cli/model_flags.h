// ModelFlags: --model and --base-url, shared by the commands that talk to models or about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "llm/prices.h"
#include "llm/rate_limit.h"
#include "llm/spec.h"
#include "memory/data_files.h"
#include "net/http.h"

namespace kw::cli {

struct ModelFlags {
  std::vector<std::string> models;
  std::string base_url;

  void declare(Flags& flags);
  /// In the order given.
  Result<std::vector<llm::ModelSpec>> specs() const;
};

/// --usd, --tokens and --calls: what models may cost.
struct SpendFlags {
  std::string usd;
  std::int64_t tokens = 0;
  std::int64_t calls = 0;

  void declare(Flags& flags);
  bool any() const { return !usd.empty() || tokens != 0 || calls != 0; }
  Result<SpendLimits> limits() const;
};

/// How long one reply may be, and one prompt.
struct LengthFlags {
  std::int64_t reply_tokens = kReplyTokens;
  std::int64_t prompt_tokens = kPromptTokens;

  /// --max-tokens and --prompt-tokens.
  void declare(Flags& flags);
  /// --max-tokens alone, where prompts have no bound.
  void declare_reply(Flags& flags);
  bool any() const { return reply_tokens != kReplyTokens || prompt_tokens != kPromptTokens; }
};

/// How every model is asked, and how long its server is waited for.
struct AskingFlags {
  std::string temperature{};
  std::string effort{};
  std::string timeout{};

  void declare(Flags& flags);
  /// --model-timeout alone, of what goes on with settings that are kept.
  void declare_timeout(Flags& flags);
  bool any() const { return !temperature.empty() || !effort.empty() || !timeout.empty(); }
  /// With this bound on replies.
  Result<ReplySettings> reply(std::int64_t max_tokens) const;
  /// In nanoseconds; 0: as usual.
  Result<std::int64_t> timeout_ns() const;
};

/// A server's head, and each further piece, may take `timeout_ns`, the whole six times as long and
/// half an hour at least; 0: as usual.
net::HttpTimeouts timeouts_of(std::int64_t timeout_ns);

/// How quickly models are asked, and whether what was asked before is asked again.
struct PaceFlags {
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
  bool cache_replies = false;

  void declare(Flags& flags);
  bool any() const { return requests_per_minute != 0 || tokens_per_minute != 0 || cache_replies; }
  Result<llm::RateLimits> rates() const;
};

/// Of the workspace's runs/: what --cache-replies keeps.
inline constexpr const char* kRepliesFolder = "replies";

/// models/prices.yaml of the shipped or overriding data; empty where there is none.
Result<llm::PriceTable> open_prices(const memory::DataFiles& data);

/// Fails where a budget in dollars would bound a model whose price nobody knows.
Result<> needs_price(const llm::PriceTable& prices, const llm::ModelSpec& spec);

/// "$2.00 in, $0.50 cached, $8.00 out as of 2026-03-21", per million tokens; "unknown" for none.
std::string price_text(const std::optional<Price>& price);

}  // namespace kw::cli
