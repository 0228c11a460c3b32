// One exchange with a language model: what was asked, what came back, what it cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw {

enum class ChatRole { System, User, Assistant };
template <>
struct EnumNames<ChatRole> {
  static constexpr std::array<std::string_view, 3> names{"system", "user", "assistant"};
};

struct ChatMessage {
  ChatRole role = ChatRole::User;
  std::string text;
  bool operator==(const ChatMessage&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("text", s.text);
  }
};

/// Default bounds on the tokens of one reply, thinking included, and of one prompt. Together they
/// must fit into the context of a model.
inline constexpr std::int64_t kReplyTokens = 16'384;
inline constexpr std::int64_t kPromptTokens = 24'000;

/// Bound in tokens on a reply in prose, without code, unless the bound on full replies is lower.
inline constexpr std::int64_t kWordsTokens = 4096;

/// Settings of a request beside its messages.
struct ReplySettings {
  /// Bound on what the model may write, thinking included.
  std::int64_t max_tokens = kReplyTokens;
  std::optional<double> temperature{};  ///< None: the server's default.
  std::string effort{};                 ///< low | medium | high: how much to think; empty: default.

  /// Settings for a reply in prose, without code: a quarter of the bound on tokens, but at least
  /// kWordsTokens.
  ReplySettings for_words() const;
  bool operator==(const ReplySettings&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("max_tokens", s.max_tokens), v("temperature", s.temperature), v("effort", s.effort);
  }
};

/// What a model is asked. Nothing else is sent but the model's name and the key, so everything here
/// decides the reply.
struct ChatRequest : ReplySettings {
  std::vector<ChatMessage> messages;
  bool operator==(const ChatRequest&) const = default;

  void set(const ReplySettings& settings);

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("messages", s.messages);
    ReplySettings::fields(s, v);
  }
};

/// Tokens of one or more calls, as the server counted them.
struct Usage {
  /// All tokens of the prompt, `cached_tokens` and `cache_write_tokens` included.
  std::int64_t prompt_tokens = 0;
  /// Prompt tokens read from the server's prompt cache, which are cheaper.
  std::int64_t cached_tokens = 0;
  /// Prompt tokens written to the cache, which some providers charge more for.
  std::int64_t cache_write_tokens = 0;
  std::int64_t completion_tokens = 0;  ///< Text and thinking.
  /// Whether the counts were estimated from bytes, because the server sent none.
  bool is_estimated = false;
  bool operator==(const Usage&) const = default;

  std::int64_t total() const { return prompt_tokens + completion_tokens; }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("prompt_tokens", s.prompt_tokens), v("cached_tokens", s.cached_tokens),
        v("cache_write_tokens", s.cache_write_tokens), v("completion_tokens", s.completion_tokens),
        v("is_estimated", s.is_estimated);
  }
};

/// Why the model stopped writing.
enum class StopReason {
  End,            ///< The model was done.
  Length,         ///< max_tokens or the context's end: the text is cut off.
  Refusal,        ///< The model declined.
  ContentFilter,  ///< The provider's filter stopped the reply.
  Tool,           ///< The model called a tool, although none was offered.
};
template <>
struct EnumNames<StopReason> {
  static constexpr std::array<std::string_view, 5> names{"end", "length", "refusal",
                                                         "content_filter", "tool"};
};

/// Where a reply came from; only Model costs anything.
enum class ReplyOrigin { Model, Cache, Replay };
template <>
struct EnumNames<ReplyOrigin> {
  static constexpr std::array<std::string_view, 3> names{"model", "cache", "replay"};
};

struct ChatReply {
  std::string text;
  std::string thinking;  ///< Thinking, kept apart from the text and never parsed for code.
  Usage usage;
  std::string model;  ///< Name by which the server calls the model, often with a date.
  StopReason stop = StopReason::End;
  ReplyOrigin origin = ReplyOrigin::Model;
  std::int64_t latency_ns = 0;     ///< From the start of the try that succeeded to its last byte.
  std::int64_t attempts = 1;       ///< Number of tries until the reply came.
  std::optional<double> cost_usd;  ///< Cost of the try that succeeded; none: price unknown.
  bool operator==(const ChatReply&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("text", s.text), v("thinking", s.thinking), v("usage", s.usage), v("model", s.model),
        v("stop", s.stop), v("origin", s.origin), v("latency_ns", s.latency_ns),
        v("attempts", s.attempts), v("cost_usd", s.cost_usd);
  }
};

/// Price of a model's tokens, in USD per million, as its source states it.
struct Price {
  std::string provider;  ///< The provider by its name in --model, such as "openai".
  std::string base_url;  ///< Address of the server; empty: the provider's own.
  /// Name of the model; a dated name in a reply ("gpt-4.1-2025-04-14") has the price of the name
  /// without a date.
  std::string model;
  double prompt_usd = 0;
  double cached_usd = 0;       ///< Price of prompt tokens read from the server's cache.
  double cache_write_usd = 0;  ///< Price of prompt tokens written to the server's cache.
  double completion_usd = 0;
  std::string as_of;   ///< Day on which the source stated the price.
  std::string source;  ///< Where the price is stated.
  bool operator==(const Price&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("provider", s.provider), v("base_url", s.base_url), v("model", s.model),
        v("prompt_usd", s.prompt_usd), v("cached_usd", s.cached_usd),
        v("cache_write_usd", s.cache_write_usd), v("completion_usd", s.completion_usd),
        v("as_of", s.as_of), v("source", s.source);
  }
};

/// Bounds on what models may cost; an absent one is no bound.
struct SpendLimits {
  std::optional<double> usd{};
  std::optional<std::int64_t> tokens{};
  std::optional<std::int64_t> calls{};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("usd", s.usd), v("tokens", s.tokens), v("calls", s.calls);
  }
};

/// What models have cost.
struct Spending {
  double usd = 0;  ///< Cost of the calls whose price is known.
  std::int64_t tokens = 0;
  std::int64_t calls = 0;     ///< Tries, failed ones included.
  std::int64_t unpriced = 0;  ///< Calls whose price is unknown: `usd` leaves them out.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("usd", s.usd), v("tokens", s.tokens), v("calls", s.calls), v("unpriced", s.unpriced);
  }
};

/// The cost in words: "$0.0800", "unknown", or ">$0.0800" where calls without a price make it a
/// lower bound.
std::string dollars_text(const Spending& spent);

/// A completed exchange as it is stored. Holds no key and no HTTP header.
struct Exchange {
  std::string key;    ///< Hash of scope, model, request and occurrence.
  std::string model;  ///< Spec of the model without secrets: "openai:gpt-4.1".
  std::string scope;  ///< Purpose of the request, such as "attempt 12".
  ChatRequest request;
  ChatReply reply;
  std::string at;  ///< UTC, ISO 8601.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("key", s.key), v("model", s.model), v("scope", s.scope), v("request", s.request),
        v("reply", s.reply), v("at", s.at);
  }
};

}  // namespace kw
