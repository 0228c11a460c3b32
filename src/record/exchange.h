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

/// What a model may write in one reply, thinking included, and what it is sent at most, where
/// nobody says otherwise. Together they must fit into its context.
inline constexpr std::int64_t kReplyTokens = 16'384;
inline constexpr std::int64_t kPromptTokens = 24'000;

/// What a reply that only says something may take at least, where replies may take as much.
inline constexpr std::int64_t kWordsTokens = 4096;

/// What is asked of every reply, beside what its messages say.
struct ReplySettings {
  std::int64_t max_tokens = kReplyTokens;  ///< As in ChatRequest; so are the others.
  std::optional<double> temperature{};
  std::string effort{};

  /// Of a reply that only says something: a quarter of the bound, but at least kWordsTokens.
  ReplySettings for_words() const;
  bool operator==(const ReplySettings&) const = default;
};

/// What a model is asked. Everything here decides the reply; nothing else is sent but model and
/// key.
struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::int64_t max_tokens =
      kReplyTokens;                   ///< Bound on what the model may write, thinking included.
  std::optional<double> temperature;  ///< None: the server's default.
  std::string effort;                 ///< low | medium | high: how much to think; empty: default.
  bool operator==(const ChatRequest&) const = default;

  void set(const ReplySettings& settings);

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("messages", s.messages), v("max_tokens", s.max_tokens), v("temperature", s.temperature),
        v("effort", s.effort);
  }
};

/// Tokens of one or more calls, as the server counted them.
struct Usage {
  std::int64_t prompt_tokens = 0;       ///< All of the prompt, the two below included.
  std::int64_t cached_tokens = 0;       ///< Read from the server's prompt cache: cheaper.
  std::int64_t cache_write_tokens = 0;  ///< Written to it: dearer with some providers.
  std::int64_t completion_tokens = 0;   ///< Text and thinking.
  bool is_estimated = false;            ///< The server sent no count; bytes were counted instead.
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
  End,            ///< It was done.
  Length,         ///< max_tokens or the context's end: the text is cut off.
  Refusal,        ///< The model declined.
  ContentFilter,  ///< The provider's filter cut in.
  Tool,           ///< It called a tool, although none was offered.
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
  std::string thinking;  ///< Kept apart: never parsed for code.
  Usage usage;
  std::string model;  ///< As the server names it, often with a date.
  StopReason stop = StopReason::End;
  ReplyOrigin origin = ReplyOrigin::Model;
  std::int64_t latency_ns = 0;     ///< Of the try that succeeded, to its last byte.
  std::int64_t attempts = 1;       ///< Tries it took.
  std::optional<double> cost_usd;  ///< Of the try that succeeded; none: price unknown.
  bool operator==(const ChatReply&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("text", s.text), v("thinking", s.thinking), v("usage", s.usage), v("model", s.model),
        v("stop", s.stop), v("origin", s.origin), v("latency_ns", s.latency_ns),
        v("attempts", s.attempts), v("cost_usd", s.cost_usd);
  }
};

/// What tokens cost, in USD per million, as somebody wrote it down.
struct Price {
  std::string provider;  ///< openai | anthropic
  std::string base_url;  ///< Empty: the provider's own.
  std::string model;     ///< A reply's dated name ("gpt-4.1-2025-04-14") counts as its plain one.
  double prompt_usd = 0;
  double cached_usd = 0;       ///< Prompt tokens read from the server's cache.
  double cache_write_usd = 0;  ///< Prompt tokens written to it.
  double completion_usd = 0;
  std::string as_of;   ///< Day on which the source said so.
  std::string source;  ///< Where it says so.
  bool operator==(const Price&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("provider", s.provider), v("base_url", s.base_url), v("model", s.model),
        v("prompt_usd", s.prompt_usd), v("cached_usd", s.cached_usd),
        v("cache_write_usd", s.cache_write_usd), v("completion_usd", s.completion_usd),
        v("as_of", s.as_of), v("source", s.source);
  }
};

/// Bounds on what models may cost; none: no bound.
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
  double usd = 0;  ///< Known prices only.
  std::int64_t tokens = 0;
  std::int64_t calls = 0;     ///< Tries, failed ones included.
  std::int64_t unpriced = 0;  ///< Calls whose price is unknown: `usd` leaves them out.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("usd", s.usd), v("tokens", s.tokens), v("calls", s.calls), v("unpriced", s.unpriced);
  }
};

/// What is known of it: "$0.0800", "unknown", or ">$0.0800" where calls without a price make it a
/// lower bound.
std::string dollars_text(const Spending& spent);

/// A completed exchange as it is kept. Holds no key and no header.
struct Exchange {
  std::string key;    ///< Content address of scope, model, request and occurrence.
  std::string model;  ///< Spec without secrets: "openai:gpt-4.1".
  std::string scope;  ///< What it was asked for, such as "attempt 12".
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
